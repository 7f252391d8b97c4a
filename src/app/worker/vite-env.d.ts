/** What Vite says about the build; replaced by constants in it. */
interface ImportMeta {
  readonly env: { readonly DEV: boolean };
}
