// Package filters answers whether a node takes a pod, and what of that answer depends on the
// other pods there: one descriptor for each built-in filter, and the caller's filters.
//
// A [Question] is one preemptor on one snapshot. A [Plan] has the filters that one attempt asks: those
// with something to say. Search, cache and explanation derive what they need of a
// filter from its descriptor.
package filters
