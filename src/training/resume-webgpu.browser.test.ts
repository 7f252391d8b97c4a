/** On WebGPU, here a software adapter, a run that goes on after a reload. */
import { openBrowserEngine } from "../engine/runtime/ort-browser.ts";
import { testResumedWithin } from "../testing/run-exactness.ts";

testResumedWithin(1e-4, () => openBrowserEngine("webgpu", { threads: 1 }));
