/** Vite's `?url` imports: the address at which a file is served. */
declare module "*?url" {
  const url: string;
  export default url;
}
