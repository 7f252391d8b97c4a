/**
 * promptfoo's {{variables}}: put in their places where they are plain names of the test's own. Everything else that its template
 * language or its addresses of files would turn into another text is found here, so that it is refused and never taken as it stands.
 */
import { isRecord, type Values } from "./format.ts";

const VARIABLE = /\{\{\s*([\w.]+)\s*\}\}/g;
const TEMPLATE = /\{\{.*?\}\}|\{%.*?%\}|\{\{|\{%/s;

/** The text so that promptfoo's template language leaves it as it is. */
export function literal(text: string): string {
  return /\{[{%#]/.test(text) ? `{% raw %}${text}{% endraw %}` : text;
}

/** A variable by its name, or by a path into one that is an object; undefined where the test has none. */
export function variable(vars: Values, name: string): unknown {
  if (Object.hasOwn(vars, name)) return vars[name];
  return name
    .split(".")
    .reduce<unknown>(
      (value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      vars,
    );
}

/** The text of a template with each variable as `say` gives it. */
export function render(template: string, say: (name: string, whole: string) => string): string {
  return template.replace(VARIABLE, (whole, name: string) => say(name, whole));
}

/** An assertion with every {{variable}} that the test has put in its place; what our own exporter added stays as it is. */
export function filledIn(given: unknown, vars: Values): unknown {
  if (Array.isArray(given)) return given.map((each: unknown) => filledIn(each, vars));
  if (isRecord(given))
    return Object.fromEntries(
      Object.entries(given).map(([key, value]) => [key, key === "config" ? value : filledIn(value, vars)]),
    );
  if (typeof given !== "string") return given;
  return render(given, (name, whole) => {
    const value = variable(vars, name);
    return typeof value === "string" || typeof value === "number" ? String(value) : whole;
  });
}

/** Template code that is left in any text of a value, or a file's address that stands for its text; null where there is neither. */
export function unresolved(value: unknown): string | null {
  if (typeof value === "string") {
    if (value.startsWith("file://")) return `a file's address: ${value}`;
    const code = TEMPLATE.exec(value)?.[0];
    return code === undefined ? null : `template code: ${code.slice(0, 60)}`;
  }
  if (typeof value !== "object" || value === null) return null;
  return Object.values(value).reduce<string | null>((found, each) => found ?? unresolved(each), null);
}
