// Lets readers change a number in the code: each <span class="try"> gets a choice, and what the code then prints, the bound
// values of that block and its picture follow, all from runs that were made with that number. Without this script the page
// shows the file as it is.
for (const data of document.querySelectorAll("script.tried")) {
  const block = data.closest(".snippet");
  const { name, torch, choices, variants } = JSON.parse(data.textContent);
  const figures = [...document.querySelectorAll(`figure[data-picture="picture-${name.replace("/", "-")}"]`)];
  const linked = [...document.querySelectorAll("a.verified")].filter((link) => link.title.endsWith(` in ${name}.pycon`));
  const places = [...block.querySelectorAll("samp"), ...figures, ...linked];
  for (const place of places) place.asInFile = { html: place.innerHTML, hidden: place.hidden };

  const note = document.createElement("p");
  note.className = "tried-note";
  note.innerHTML = '<span role="status"></span><button type="button"></button>';
  const [told, back] = note.children;
  block.append(note);

  const show = (choice, value) => {
    const chosen = variants[choice?.keys[choice.values.indexOf(value)]];
    for (const place of places) {
      place.innerHTML = place.asInFile.html;
      place.hidden = place.asInFile.hidden;
    }
    for (const [example, html] of Object.entries(chosen?.outputs ?? {})) {
      const output = block.querySelector(`samp[data-example="${example}"]`);
      output.innerHTML = html;
      output.hidden = !html;
    }
    for (const { title, shown, found } of chosen?.values ?? [])
      for (const link of linked) if (link.title === title && link.textContent === shown) link.textContent = found;
    for (const [frame, { svg, caption }] of Object.entries(chosen?.frames ?? {})) {
      figures[frame].querySelector("svg").outerHTML = svg;
      if (caption) figures[frame].querySelector("figcaption").innerHTML = caption;
    }
    for (const { literal, select, choice: other } of controls) {
      literal.textContent = select.value = other === choice ? value : other.shown;
      select.classList.toggle("turned", select.value !== other.shown);
    }
    block.classList.toggle("turned", Boolean(chosen));
    const folded = block.querySelector("details.predict:not([open])");
    const seen = folded ? "The answer is folded: guess again." : "What you see is from a run with it";
    told.textContent = chosen ? `${choice.name} is ${value}. ${seen}${folded ? "" : ` on PyTorch ${torch}.`} ` : "As in the file.";
    back.textContent = chosen ? `Back to ${choice.shown}` : "";
  };

  const controls = [...block.querySelectorAll(".try")].map((place) => {
    const choice = choices[place.dataset.try];
    const literal = document.createElement("span");
    const select = document.createElement("select");
    literal.className = place.firstElementChild?.className ?? "";
    literal.textContent = choice.shown;
    select.setAttribute("aria-label", `${choice.name}, in the file ${choice.shown}`);
    for (const value of [choice.shown, ...choice.values]) select.add(new Option(value, value));
    select.addEventListener("change", () => show(choice, select.value));
    place.replaceChildren(literal, select);
    return { literal, select, choice };
  });
  back.addEventListener("click", () => {
    const turned = controls.find(({ select }) => select.classList.contains("turned"));
    show();
    turned?.select.focus();
  });
}
