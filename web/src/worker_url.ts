// Workers are scripts, and the page's policy wants each script's address to be trusted. The only addresses that are: those of the build, at the page's own place.
const known = new Set([__LIVE_WORKER__, __LAYOUT_WORKER__]);

function checked(name: string): string {
  if (!known.has(name)) throw new TypeError(`${name} is no worker of this page`);
  return new URL(name, document.baseURI).href;
}

const policy = window.trustedTypes?.createPolicy('catena-workers', { createScriptURL: checked });

export function workerUrl(name: string): string {
  return policy ? policy.createScriptURL(name) : checked(name);
}
