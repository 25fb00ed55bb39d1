// Draws the Vega-Lite charts of a page; colours are those of the style sheet, in light and dark.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const text = { labelColor: "var(--ink-soft)", titleColor: "var(--ink-soft)", titleFontWeight: 500 };
  const config = {
    background: null,
    font: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
    view: { stroke: null },
    axis: {
      ...text, labelFontSize: 11, titleFontSize: 11, titlePadding: 8,
      domainColor: "var(--line)", tickColor: "var(--line)", gridColor: "var(--line)",
    },
    axisBand: { grid: false },
    axisX: { grid: false },
    axisY: { domain: false, ticks: false },
    legend: { ...text, labelFontSize: 11, symbolType: "square", symbolSize: 90 },
  };
  // Styles stand in our own file: the page may load no others.
  const options = {
    ast: true, actions: false, renderer: "svg", logLevel: vega.Error, config,
    defaultStyle: false, tooltip: { disableDefaultStyle: true },
  };
  const drawn = [...document.querySelectorAll("[data-spec]")].map((place) => {
    const spec = { ...JSON.parse(place.dataset.spec), width: "container",
      autosize: { type: "fit-x", contains: "padding" } };
    return vegaEmbed(place, spec, options).then(() => {
      // The place itself says what the drawing shows; its parts would only be noise.
      place.querySelector("svg").setAttribute("aria-hidden", "true");
    }).catch(() => {
      place.textContent = "This chart cannot be drawn here; its figures are below.";
    });
  });
  Promise.all(drawn).then(() => { document.documentElement.dataset.drawn = String(drawn.length); });
});
