/** Gives the browser a file to save. */

const TYPES = {
  csv: "text/csv",
  jsonl: "application/x-ndjson",
  json: "application/json",
  yaml: "application/yaml",
  zip: "application/zip",
} as const;

export function saveFile(
  name: string,
  type: keyof typeof TYPES,
  content: string | Uint8Array<ArrayBuffer> | Blob,
): void {
  const url = URL.createObjectURL(new Blob([content], { type: TYPES[type] }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name}.${type}`;
  link.click();
  URL.revokeObjectURL(url);
}
