// Package across answers which pods have to leave, on whatever nodes they run, where required
// anti-affinity or a topology spread constraint counts them in a domain of the node (chapter 23).
package across
