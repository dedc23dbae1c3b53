// Package filters answers whether a node takes a pod, and what of that answer depends on the
// other pods there: one descriptor for each built-in filter, and the caller's filters.
//
// A [Question] is one preemptor on one snapshot. A [Plan] has the filters that one attempt asks: those with
// something to say. The search, the cache and the explanation learn from its descriptor what they need to
// know of a filter.
package filters
