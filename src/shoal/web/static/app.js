// The little that htmx does not do: uploads with progress, and files dropped on the page.
"use strict";

htmx.config.allowEval = false;
htmx.config.includeIndicatorStyles = false;
htmx.config.selfRequestsOnly = true;

// Error answers carry a message for the reader, so they are shown like any other.
document.addEventListener("htmx:beforeSwap", (event) => {
  const status = event.detail.xhr.status;
  if (status >= 400) {
    giveUp(event.detail.target);
    event.detail.shouldSwap = true;
    event.detail.isError = false;
    event.detail.target = document.getElementById("messages");
    event.detail.swapOverride = "innerHTML";
  }
});

// The next change of this tab starts from what its last one made.
document.addEventListener("htmx:afterRequest", (event) => {
  const version = event.detail.xhr.getResponseHeader("shoal-version");
  if (!version || event.detail.requestConfig.verb === "get") return;
  for (const field of document.querySelectorAll('input[name="version"]')) field.value = version;
});

// Figures of an earlier state of the page are hidden until the new ones have come.
let edits = 0;
const asked = new WeakMap(); // how much had been typed when the figures of a place were asked for

function setBusy(place, busy) {
  const awaited = place && place.closest(".awaited");
  if (awaited) awaited.setAttribute("aria-busy", String(busy));
}

document.addEventListener("htmx:beforeRequest", (event) => {
  asked.set(event.detail.target, edits);
  setBusy(event.detail.target, true);
});
document.addEventListener("htmx:afterSwap", (event) => {
  setBusy(event.detail.target, asked.get(event.detail.target) !== edits);
});
document.addEventListener("input", (event) => {
  const form = event.target.form;
  if (!form || !form.dataset.awaited) return;
  edits += 1;
  setBusy(document.getElementById(form.dataset.awaited), true);
});

// A request that failed has no figures: say so in their place.
function giveUp(place) {
  if (!place || !place.closest(".awaited")) return;
  place.textContent = "Not computed. Reload the page.";
  setBusy(place, false);
}

document.addEventListener("htmx:sendError", (event) => {
  giveUp(event.detail.target);
  tell("The server does not answer. Is it still running?");
});

function tell(text) {
  const messages = document.getElementById("messages");
  messages.innerHTML = '<div class="message bad" role="alert"></div>';
  messages.firstChild.textContent = text;
}

function upload(file) {
  const messages = document.getElementById("messages");
  const bar = document.getElementById("upload-progress");
  const { limit, tooLarge } = document.getElementById("drop").dataset;
  if (file.size > Number(limit)) {
    tell(tooLarge);
    return;
  }
  const request = new XMLHttpRequest();
  request.open("PUT", "/open/upload?name=" + encodeURIComponent(file.name));
  request.setRequestHeader("Content-Type", "application/octet-stream");
  const state = document.getElementById("upload-state");
  bar.hidden = false;
  state.textContent = "Uploading…";
  request.upload.addEventListener("progress", (event) => {
    if (event.lengthComputable) {
      bar.max = event.total;
      bar.value = event.loaded;
    }
  });
  request.upload.addEventListener("load", () => { state.textContent = "Reading…"; });
  request.addEventListener("load", () => {
    if (request.status === 201) {
      window.location.assign(request.getResponseHeader("Location"));
    } else {
      bar.hidden = true;
      state.textContent = "";
      messages.innerHTML = request.responseText;
    }
  });
  request.addEventListener("error", () => {
    bar.hidden = true;
    state.textContent = "";
    tell("The upload was interrupted. Is the server still running?");
  });
  request.send(file);
}

document.addEventListener("DOMContentLoaded", () => {
  // On narrow screens the steps are a row that scrolls: show the current one.
  const steps = document.querySelector(".steps");
  const current = document.querySelector('.steps [aria-current="page"]');
  if (current) steps.scrollLeft = current.offsetLeft - steps.offsetLeft - 16;
  const input = document.getElementById("file");
  const area = document.getElementById("drop");
  if (!input || !area) return;
  input.addEventListener("change", () => input.files.length && upload(input.files[0]));
  for (const name of ["dragover", "dragleave", "drop"]) {
    area.addEventListener(name, (event) => {
      event.preventDefault();
      area.classList.toggle("over", name === "dragover");
      if (name === "drop" && event.dataTransfer.files.length) upload(event.dataTransfer.files[0]);
    });
  }
});

// Another algorithm has other parameters: keep the choice, and draw the form again.
document.addEventListener("change", (event) => {
  if (event.target.hasAttribute("data-submit-on-change")) event.target.form.requestSubmit();
});

document.addEventListener("input", (event) => {
  if (event.target.type !== "range") return;
  const shown = document.querySelector('output[for="' + CSS.escape(event.target.id) + '"]');
  if (shown) shown.textContent = event.target.value;
});

// A value of a tree is chosen by a click on it.
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-fill]");
  const field = button && document.getElementById(button.dataset.fill);
  if (!field) return;
  field.value = button.textContent;
  document.getElementById("group").focus();
});

// What takes a while says so, and cannot be asked for twice.
document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (!button || !button.dataset.wait) return;
  button.dataset.title = button.textContent;
  button.textContent = button.dataset.wait;
  setTimeout(() => { button.disabled = true; }); // the form is sent first
});

// A page that comes back from the history of the browser is ready again.
window.addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("button[data-title]")) {
    button.textContent = button.dataset.title;
    button.disabled = false;
  }
});
