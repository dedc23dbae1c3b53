// Package across answers which pods have to leave, on whatever nodes they run, so that a preemptor fits on a
// node whose domains have pods that required anti-affinity or a topology spread constraint counts (chapter
// 23).
package across
