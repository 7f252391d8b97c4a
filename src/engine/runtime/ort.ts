/** The part of onnxruntime that the engine uses; the same shape for onnxruntime-web and onnxruntime-node. */
import type * as ort from "onnxruntime-web";
import type { DType, HostTensor } from "../graph/tensor.ts";

export type Ort = Pick<typeof ort, "InferenceSession" | "Tensor" | "env">;
export type OrtTensor = ort.Tensor;
export type OrtSession = ort.InferenceSession;
export type OrtSessionOptions = ort.InferenceSession.SessionOptions;

const DTYPE_BYTES = { float32: 4, int32: 4, int64: 8, bool: 1, uint8: 1 } as const satisfies Record<
  DType,
  number
>;

/** The tensor's size without padding. */
export function byteSize(tensor: Pick<HostTensor, "dtype" | "dims">): number {
  return tensor.dims.reduce((product, dim) => product * dim, DTYPE_BYTES[tensor.dtype]);
}

/** A host tensor as onnxruntime takes it; the data is not copied. */
export function toOrtTensor(ort: Ort, tensor: HostTensor): OrtTensor {
  return new ort.Tensor(tensor.dtype, tensor.data, tensor.dims);
}

/** An onnxruntime tensor whose data is on the host, as ours; the data is not copied. */
export function fromOrtTensor(tensor: OrtTensor): HostTensor {
  return {
    dtype: tensor.type as DType,
    dims: tensor.dims,
    data: tensor.data as HostTensor["data"],
  };
}

/** One line of text from anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
