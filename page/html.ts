import htm from "htm";
import { type ComponentChildren, h, type VNode } from "preact";

/** Templates of elements; components with state go in by `h`, which checks their properties. */
export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: unknown[]) => VNode;
export { h };
export type Children = ComponentChildren;

/** The value of the field an event comes from. */
export function valueOf({ target }: Event): string {
  return target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
    ? target.value
    : "";
}

/** The fields of the form an event comes from, as texts; the form itself goes nowhere. */
export function fieldsOf(event: Event): Record<string, string> {
  event.preventDefault();
  if (!(event.target instanceof HTMLFormElement)) return {};
  const texts: Record<string, string> = {};
  for (const [name, value] of new FormData(event.target))
    if (typeof value === "string") texts[name] = value;
  return texts;
}
