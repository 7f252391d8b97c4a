/**
 * Takes from a thread everything but the language itself: network, storage, timers, messages, its own address; and of the
 * language what reads the clock, throws dice or makes code of text. What stays is frozen, to the last prototype and with the
 * global object itself, so that one expression cannot change what another one sees. Works on any global object and knows neither
 * browser nor Node.
 * What remains: `import()`, a word of the language (perform.ts refuses code that holds it); time and memory of the thread, which
 * its host limits by ending it; and processor time within that limit.
 */

/** Stay, as names of the global object. */
const LANGUAGE = [
  ...["Object", "Array", "Boolean", "Number", "BigInt", "String", "Symbol", "RegExp", "Map", "Set", "JSON"],
  ...["Math", "Reflect", "Proxy", "Promise", "Error", "AggregateError", "EvalError", "RangeError", "Intl"],
  ...["ReferenceError", "SyntaxError", "TypeError", "URIError", "Infinity", "NaN", "undefined", "globalThis"],
  ...["URL", "isFinite", "isNaN", "parseFloat", "parseInt", "encodeURI", "encodeURIComponent", "decodeURI"],
  ...["decodeURIComponent", "ArrayBuffer", "DataView", "Int8Array", "Uint8Array", "Uint8ClampedArray"],
  ...["Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "Float32Array", "Float64Array"],
];

/** @returns what could not be taken away or closed; a thread with any of it must not run what people write */
export function lockDown(scope: object): string[] {
  const left = takeNames(scope);
  for (const make of codeMakers()) Reflect.deleteProperty(make, "constructor");
  Reflect.deleteProperty(Math, "random");
  for (const clock of ["DateTimeFormat", "RelativeTimeFormat"]) Reflect.deleteProperty(Intl, clock);
  freezeAll([...LANGUAGE.map((name): unknown => Reflect.get(scope, name)), ...nameless()], scope);
  return closeScope(scope) ? left : [...left, "a global object that takes new names"];
}

/** Deletes every name but the language's from the global object and what it inherits from. @returns those that stay */
function takeNames(scope: object): string[] {
  const kept = new Set<PropertyKey>(LANGUAGE);
  const left: string[] = [];
  for (let level: object | null = scope; level !== null && level !== Object.prototype;) {
    for (const key of Reflect.ownKeys(level)) {
      if (typeof key !== "string" || kept.has(key) || Reflect.deleteProperty(level, key)) continue;
      if (!isPlain(Reflect.getOwnPropertyDescriptor(level, key)?.value)) left.push(key);
    }
    level = Reflect.getPrototypeOf(level);
  }
  return left;
}

/** The global object keeps what it has and takes nothing more. @returns whether it does */
function closeScope(scope: object): boolean {
  for (const name of LANGUAGE) {
    const fixed = { configurable: false, ...(name === "globalThis" ? {} : { writable: false }) };
    if (Object.hasOwn(scope, name)) Reflect.defineProperty(scope, name, fixed);
  }
  const inherited = Reflect.getPrototypeOf(scope);
  for (let level = inherited; level !== null; level = Reflect.getPrototypeOf(level)) Object.freeze(level);
  return Reflect.preventExtensions(scope);
}

/** A number or a text, such as the browser's constants that nobody can take away: it does nothing. */
function isPlain(value: unknown): boolean {
  return typeof value === "number" || typeof value === "string";
}

/** The prototypes of all kinds of functions: their constructors make code of text. */
function codeMakers(): object[] {
  const kinds = [
    () => undefined,
    async () => Promise.resolve(),
    function* () {
      yield 0;
    },
    async function* () {
      yield await Promise.resolve(0);
    },
  ];
  return kinds.map((kind) => Reflect.getPrototypeOf(kind) as object);
}

/** One of each kind of thing whose prototype has no name of its own: what walks over lists, texts and generators. */
function nameless(): unknown[] {
  const generated = (function* () {
    yield 0;
  })();
  const awaited = (async function* () {
    yield await Promise.resolve(0);
  })();
  const walks = [[].values(), "".matchAll(/x/g), ""[Symbol.iterator](), new Map().keys(), new Set().keys()];
  return [generated, awaited, async () => Promise.resolve(), ...walks];
}

/** Freezes values and whatever hangs on them: properties, getters, setters and prototypes. */
function freezeAll(values: readonly unknown[], scope: object): void {
  const seen = new Set<unknown>([scope, globalThis]);
  const waiting = [...values];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value))
      continue;
    seen.add(value);
    Object.freeze(value);
    waiting.push(Reflect.getPrototypeOf(value));
    for (const key of Reflect.ownKeys(value)) {
      const own = Reflect.getOwnPropertyDescriptor(value, key) ?? {};
      waiting.push(...(Object.values(own) as unknown[]));
    }
  }
}
