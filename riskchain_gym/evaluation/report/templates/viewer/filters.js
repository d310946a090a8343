// The row of filters over a list. It is made once and told anew what is left, so that the focus stays where it is.
const filterBar = (items, facets, changed) => {
  const shown = facets.map((facet) => ({ facet, values: facetValues(items, facet) })).filter(({ values }) => values.length > 1);
  const selects = shown.map(({ facet, values }) => {
    const select = el("select", { name: facet.key, on: { change: () => changed({ [facet.key]: select.value }) } });
    return { facet, values, select };
  });
  const search = el("input", {
    type: "search", id: "search", placeholder: "chain, archetype, message …", autocomplete: "off",
    on: { input: () => changed({ find: search.value }) },
  });
  const clear = button(
    "Clear",
    () => changed(Object.fromEntries([...facets.map((facet) => [facet.key, ""]), ["find", ""]])),
    { class: "plain" },
  );
  const told = el("span", { class: "told", "aria-live": "polite" });
  const node = el("div", { class: "filters", role: "search", "aria-label": "Filters" },
    ...selects.map(({ facet, select }) => el("label", {}, facet.label, select)),
    el("label", { class: "wide" }, "Find", search), clear, told);
  const update = (query, left, what) => {
    for (const { facet, values, select } of selects) {
      const counts = facetCounts(filtered(items, facets, query, facet), facet);
      const now = query.get(facet.key) ?? "";
      const options = values.map((value) => el("option", { value }, `${words((facet.show ?? String)(value))} (${counts.get(value) ?? 0})`));
      select.replaceChildren(el("option", { value: "" }, "all"), ...options);
      if (now && !values.includes(now)) select.append(el("option", { value: now }, `${now} (0)`));
      select.value = now;
      select.classList.toggle("set", Boolean(now));
    }
    if (search !== document.activeElement) search.value = query.get("find") ?? "";
    const { find, wanted } = chosen(facets, query);
    clear.hidden = !find && !wanted.length;
    told.textContent = `${left} of ${items.length} ${what}`;
  };
  return { node, update, search };
};
