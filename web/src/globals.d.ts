/** Set by build.mjs. */
declare const __REPORT__: boolean;
declare const __LIVE_WORKER__: string;
declare const __LAYOUT_WORKER__: string;

interface TrustedTypePolicyFactory {
  createPolicy(name: string, rules: { createScriptURL?: (url: string) => string }): { createScriptURL(url: string): string };
}
interface Window {
  trustedTypes?: TrustedTypePolicyFactory;
}
declare module '*.css';
