/** Holds a part of the page that comes as a chunk of its own: where it cannot be loaded, the rest stays, and this says so. */
import { Component, Suspense, type ReactNode } from "react";
import { useText } from "../text/text-context.ts";
import "./part-boundary.css";

interface Props {
  readonly children: ReactNode;
  /** Takes a sheet away; without it the words stay where the part would be. */
  readonly onClose?: (() => void) | undefined;
}

/** React knows error boundaries as classes only. */
export class PartBoundary extends Component<Props, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    const { children, onClose } = this.props;
    return this.state.failed ? <PartFailed onClose={onClose} /> : <Suspense>{children}</Suspense>;
  }
}

function PartFailed({ onClose }: Pick<Props, "onClose">) {
  const text = useText();
  return (
    <div className={onClose === undefined ? "notice bad" : "notice bad part-failed"} role="alert">
      <p>{text.faults.part}</p>
      {onClose !== undefined && (
        <button type="button" className="pill small" onClick={onClose}>
          {text.close}
        </button>
      )}
    </div>
  );
}
