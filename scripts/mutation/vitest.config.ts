/** The tests that mutants are held to: those of the node project. One environment for all, since every mutant runs them. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "node",
    include: ["src/**/*.test.ts"],
    exclude: ["src/**/*.{browser,interop,slow}.test.ts"],
    testTimeout: 60_000,
    isolate: false,
  },
});
