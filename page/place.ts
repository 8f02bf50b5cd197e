import { held } from "./store.ts";

export interface Address {
  /** The address in parts, without its first slash. */
  parts: string[];
  query: URLSearchParams;
}

function here(): Address {
  const parts = location.pathname.split("/").filter(Boolean).map(decodeURIComponent);
  return { parts, query: new URLSearchParams(location.search) };
}

export const place = held(here());

/** Shows another address; `quiet` takes the place of this one, and leaves the focus where it is. */
export function go(address: string, { quiet = false } = {}): void {
  if (quiet) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  place.set(here());
}

/** The address of something by its names. */
export const to = (...parts: string[]): string => `/${parts.map(encodeURIComponent).join("/")}`;

/** This address with another query. */
export function asking(given: Record<string, string | undefined>): string {
  const words = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(given))
    if (value === undefined || value === "") words.delete(name);
    else words.set(name, value);
  return words.size === 0 ? location.pathname : `${location.pathname}?${words}`;
}

/** Links of this page change the address without loading it anew. */
export function followLinks(): void {
  addEventListener("popstate", () => place.set(here()));
  addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link === null || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (link.origin !== location.origin || link.hasAttribute("download")) return;
    const { pathname, search, hash } = new URL(link.href);
    if (hash !== "" || pathname.startsWith("/api/")) return;
    event.preventDefault();
    go(pathname + search);
  });
}
