"use strict";
(() => {
  const specs = JSON.parse(document.getElementById("charts").textContent);
  const text = { labelColor: "var(--muted)", titleColor: "var(--muted)", titleFontWeight: 500 };
  const config = {
    background: null,
    font: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
    view: { stroke: null },
    axis: {
      ...text, labelFontSize: 11, titleFontSize: 11, titlePadding: 8,
      domainColor: "var(--rule)", tickColor: "var(--rule)", gridColor: "var(--rule)",
    },
    axisBand: { grid: false },
    axisX: { grid: false },
    axisY: { domain: false, ticks: false },
    legend: { ...text, labelFontSize: 11, symbolType: "square", symbolSize: 90 },
  };
  const options = { ast: true, actions: false, renderer: "svg", logLevel: vega.Error, config };
  const drawn = [...document.querySelectorAll("[data-chart]")].map((place) => {
    const spec = { ...specs[place.dataset.chart], width: "container",
      autosize: { type: "fit-x", contains: "padding" } };
    return vegaEmbed(place, spec, options).then(() => {
      // The place itself says what the drawing shows; its parts would only be noise.
      place.querySelector("svg").setAttribute("aria-hidden", "true");
    }).catch(() => {
      place.textContent = "This chart cannot be drawn here; its data are below.";
    });
  });
  Promise.all(drawn).then(() => { document.documentElement.dataset.drawn = String(drawn.length); });
})();
