/** Style sheets are imported for their effect; the bundler collects them. */
declare module "*.css";
/** Vite's `?worker&url` import: the address of a worker's script. */
declare module "*?worker&url" {
  const url: string;
  export default url;
}
