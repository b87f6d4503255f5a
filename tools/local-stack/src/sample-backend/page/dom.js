export const element = (id) => document.getElementById(id);

/** An element with properties and what it has inside. */
export function make(name, properties, ...inside) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...inside);
  return made;
}

/** The pairs of an object as a list of terms. */
export function listOfTerms(values) {
  const pairs = Object.entries(values).map(([name, value]) =>
    make('div', {}, make('dt', {}, name), make('dd', {}, String(value ?? '–'))),
  );
  return make('dl', {}, ...pairs);
}
