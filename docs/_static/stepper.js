// Makes a stepper of each <div class="stepper"> of figures: one at a time, with buttons and arrow keys.
// Without this script all figures stand below each other, with their captions.
for (const stepper of document.querySelectorAll(".stepper")) {
  const frames = [...stepper.querySelectorAll("figure")];
  const bar = document.createElement("div");
  bar.className = "steps";
  bar.innerHTML =
    '<button type="button">Previous</button><span></span><button type="button">Next</button><p aria-live="polite"></p>';
  const [previous, position, next, spoken] = bar.children;
  let current = 0;

  const show = (wanted, speak) => {
    current = Math.max(0, Math.min(wanted, frames.length - 1));
    frames.forEach((frame, index) => frame.classList.toggle("shown", index === current));
    position.textContent = `${current + 1} of ${frames.length}`;
    previous.setAttribute("aria-disabled", current === 0);
    next.setAttribute("aria-disabled", current === frames.length - 1);
    if (speak) spoken.textContent = `${position.textContent}: ${frames[current].querySelector("figcaption").textContent}`;
  };

  previous.addEventListener("click", () => show(current - 1, true));
  next.addEventListener("click", () => show(current + 1, true));
  stepper.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation(); // the theme turns pages with the same keys
    show(current + step, true);
  });

  stepper.append(bar);
  stepper.classList.add("live");
  show(0, false);
}
