"use strict";
// The stages of a page become one that a slider, two buttons, the arrow keys and links choose.
(() => {
  const id = (name) => document.getElementById(name);
  const stages = [...document.querySelectorAll(".stage")];
  const links = [...document.querySelectorAll(".track a")];
  const slider = id("slider");
  const steps = [...document.querySelectorAll(".steps details")];
  let at = 0;

  function show(k) {
    at = Math.max(0, Math.min(stages.length - 1, k));
    stages.forEach((stage, n) => { stage.hidden = n !== at; });
    links.forEach((link, n) => {
      if (n === at) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    });
    const told = `Stage ${at + 1} of ${stages.length}: ${links[at].querySelector(".name").textContent}`;
    id("where").textContent = told;
    slider.value = at;
    slider.setAttribute("aria-valuetext", told);
    id("back").disabled = at === 0;
    id("next").disabled = at === stages.length - 1;
    return told;
  }

  function go(k) {
    document.querySelector(".status").textContent = show(k);
  }

  // A link to a stage shows it; one to a step opens it.
  function follow(name) {
    const [, kind, number] = /^#(stage|step)-(\d+)$/.exec(name) || [];
    if (kind === "stage") {
      go(number - 1);
      stages[at].scrollIntoView({ block: "nearest" });
    } else if (kind === "step" && steps[number - 1]) {
      steps[number - 1].open = true;
      steps[number - 1].scrollIntoView({ block: "center" });
      steps[number - 1].querySelector("summary").focus({ preventScroll: true });
    }
    return Boolean(kind);
  }

  document.documentElement.classList.add("js");
  document.querySelectorAll(".player, .hint, #all").forEach((part) => { part.hidden = false; });
  slider.addEventListener("input", () => show(Number(slider.value)));
  id("back").addEventListener("click", () => go(at - 1));
  id("next").addEventListener("click", () => go(at + 1));
  id("marks").addEventListener("change", (event) => {
    document.documentElement.classList.toggle("plain", !event.target.checked);
  });
  id("all").addEventListener("click", (event) => {
    const open = !steps.every((step) => step.open);
    steps.forEach((step) => { step.open = open; });
    event.target.textContent = open ? "close all steps" : "open all steps";
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link && follow(link.getAttribute("href"))) event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    // The slider has these keys itself.
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest("input")) return;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  });
  window.addEventListener("hashchange", () => follow(location.hash));
  show(0);
  if (location.hash) follow(location.hash);
})();
