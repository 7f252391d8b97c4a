/**
 * Messages in, handlers called, results or faults out. The handlers' type is derived from the protocol: one
 * missing, or one with another result, does not compile.
 */
import { PlaygroundError, toFaultMessage } from "../../base/errors.ts";
import type { FromWorker, Params, RequestName, Result, ToWorker } from "../protocol/messages.ts";

export type Handlers = {
  readonly [Name in RequestName]: (params: Params<Name>) => Promise<Result<Name>>;
};

/** Answers one message of the page; never throws. */
export async function answer(handlers: Handlers, message: ToWorker): Promise<FromWorker> {
  try {
    return { kind: "result", id: message.id, result: await call(handlers, message.name, message.params) };
  } catch (error) {
    return { kind: "error", id: message.id, fault: toFaultMessage(error, message.name) };
  }
}

function call<Name extends RequestName>(
  handlers: Handlers,
  name: Name,
  params: Params<Name>,
): Promise<Result<Name>> {
  const handler = handlers[name] as Handlers[Name] | undefined;
  if (handler === undefined) {
    throw new PlaygroundError({
      code: "internal",
      where: "worker",
      expected: "a request of the protocol",
      got: `"${name}"`,
      next: "Reload the page: it and its worker are of different builds.",
    });
  }
  return handler(params);
}
