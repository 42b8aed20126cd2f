/** An edge in `Layout.edges`. Not in layout.ts: who draws needs no library that lays out. */
export const edgeKey = (edge: { from: string; to: string }) => JSON.stringify([edge.from, edge.to]);
