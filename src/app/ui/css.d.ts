/** Style sheets are imported for their effect; the bundler collects them. */
declare module "*.css";
/** Vite's `?worker&url` import: the address of a worker's script. */
declare module "*?worker&url" {
  const url: string;
  export default url;
}
/** Vite's `import.meta.glob`: what the build finds of a pattern, each as a function that loads it. */
interface ImportMeta {
  readonly glob: <T>(
    pattern: string,
    options: { readonly import: "default" },
  ) => Record<string, () => Promise<T>>;
}
