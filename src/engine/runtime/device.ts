/**
 * What this machine offers: cores, threads, a GPU adapter and its limits; and the one place that opens a GPU device.
 * What is missing is no failure until somebody asks for it.
 */
import { PlaygroundError } from "../../base/errors.ts";

export interface GpuReport {
  /** As the browser describes it, e.g. "google swiftshader". */
  readonly description: string;
  /** True for an adapter that computes on the CPU. */
  readonly software: boolean;
  readonly maxBufferBytes: number;
  /** The largest tensor one kernel can read. */
  readonly maxBindingBytes: number;
  readonly float16: boolean;
}

export interface MachineReport {
  readonly cores: number;
  readonly crossOriginIsolated: boolean;
  /** WASM threads the engine takes when it is not told otherwise. */
  readonly threads: number;
  readonly gpu: GpuReport | null;
}

/** A device and where it came from; its owner destroys it. */
export interface OpenGpu {
  readonly device: GPUDevice;
  readonly report: GpuReport;
}

/** Half the cores (threads beyond the free ones slow each other down), 8 at most; 1 where memory cannot be shared. */
export function defaultThreads(): number {
  return canShareMemory() ? Math.max(1, Math.min(8, Math.floor(coreCount() / 2))) : 1;
}

/** True where WASM threads can work: the page was served with COOP and COEP headers. */
export function canShareMemory(): boolean {
  const { crossOriginIsolated } = globalThis as { readonly crossOriginIsolated?: boolean }; // not under Node
  return typeof SharedArrayBuffer !== "undefined" && crossOriginIsolated === true;
}

export async function describeMachine(): Promise<MachineReport> {
  const gpu = await requestAdapter().then(reportOf, () => null); // a machine without one is no failure
  return {
    cores: coreCount(),
    crossOriginIsolated: canShareMemory(),
    threads: defaultThreads(),
    gpu,
  };
}

/**
 * Opens the adapter with its full limits.
 * @throws PlaygroundError `webgpu-missing` without an adapter, `webgpu-limits` when `needBindingBytes` do not fit.
 */
export async function openGpu(needBindingBytes = 0): Promise<OpenGpu> {
  const adapter = await requestAdapter();
  const report = reportOf(adapter);
  if (report.maxBindingBytes < needBindingBytes) {
    throw new PlaygroundError({
      code: "webgpu-limits",
      where: `GPU ${report.description}`,
      expected: `tensors of ${needBindingBytes} bytes to fit`,
      got: `a limit of ${report.maxBindingBytes}`,
      next: "Choose a smaller model or run it on WASM.",
    });
  }
  const wanted: GPUFeatureName[] = ["shader-f16", "subgroups"];
  const device = await adapter.requestDevice({
    requiredLimits: limitsOf(adapter),
    requiredFeatures: wanted.filter((feature) => adapter.features.has(feature)),
  });
  return { device, report };
}

const coreCount = (): number => (typeof navigator === "undefined" ? 1 : navigator.hardwareConcurrency);

async function requestAdapter(): Promise<GPUAdapter> {
  // `gpu` is typed as always there; in browsers without WebGPU and under Node it is not
  const gpu = typeof navigator === "undefined" ? undefined : (navigator.gpu as GPU | undefined);
  const adapter = await gpu?.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) {
    throw new PlaygroundError({
      code: "webgpu-missing",
      where: "WebGPU",
      expected: "a GPU adapter",
      got: gpu ? "none" : "a browser without WebGPU",
      next: "The playground runs on WASM instead; a browser with WebGPU is needed for the GPU.",
    });
  }
  return adapter;
}

const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|basic render|software/i;

function reportOf(adapter: GPUAdapter): GpuReport {
  const { vendor, architecture, device, description } = adapter.info;
  const parts = [...new Set([vendor, architecture, device, description])].filter((part) => part !== "");
  const text = parts.join(" ");
  return {
    description: text === "" ? "unnamed adapter" : text,
    software: adapter.info.isFallbackAdapter || SOFTWARE.test(text),
    maxBufferBytes: adapter.limits.maxBufferSize,
    maxBindingBytes: Math.min(adapter.limits.maxStorageBufferBindingSize, adapter.limits.maxBufferSize),
    float16: adapter.features.has("shader-f16"),
  };
}

/** The limits onnxruntime's kernels depend on, at the adapter's best. */
function limitsOf(adapter: GPUAdapter): Record<string, number> {
  const names = [
    "maxBindGroups",
    "maxBufferSize",
    "maxStorageBufferBindingSize",
    "maxStorageBuffersPerShaderStage",
    "maxComputeWorkgroupStorageSize",
    "maxComputeWorkgroupsPerDimension",
    "maxComputeInvocationsPerWorkgroup",
    "maxComputeWorkgroupSizeX",
    "maxComputeWorkgroupSizeY",
    "maxComputeWorkgroupSizeZ",
  ] as const;
  return Object.fromEntries(names.map((name) => [name, adapter.limits[name]]));
}
