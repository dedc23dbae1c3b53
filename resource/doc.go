// Package resource answers the question "how much?": how much of a resource a pod asks for,
// how much a node has, and what is left when one is taken from the other.
//
// A [Quantity] is one amount as Kubernetes objects write it. It is read exactly and never
// passes through a floating point number:
//
//	q, err := resource.Parse("1.5Gi")
//	q.Value()  // 1610612736
//	q.String() // 1536Mi
//
// A [List] holds amounts by [Name], and [Requirements] the two lists that a container or pod
// carries. Deciding code does not add quantities up; it counts. [Amount] and [List.Amount] turn
// a quantity into the unit that kube-scheduler and the kubelet count in: thousandths of a core
// for cpu, whole units (bytes, devices) for everything else. Counted amounts are int64, and
// [AddSat], [SubSat] and [MulSat] stay at the ends of that range instead of wrapping around.
//
// The reference is k8s.io/apimachinery/pkg/api/resource of Kubernetes v1.36.3 and v1.37.1. The
// same texts are accepted and mean the same, but:
//
//   - Value and MilliValue saturate beyond int64, where the reference wraps ("12E" is 0 there),
//     and they are exact for negative fractions, where it is off by one at times.
//   - A decimal amount that 10^21 divides keeps its suffix when printed. One that would need more
//     than 10,000 zeros after the suffix is printed with an exponent.
//   - A binary amount beyond int64, which only a sum can reach, is printed as a decimal.
//   - Exponents that fit int64 but not int32 are taken at their word, where the reference wraps.
//     No amount is larger than 10^2147483647.
//   - Sums of amounts further apart than anything a cluster can hold keep the larger one; see
//     [Quantity.Add].
//
// Chapters 1 and 2 of [RULES.md] state the rules; comments cite them by number.
//
// All values are immutable and may be used by any number of goroutines at once; a List is a
// map and follows the rules of maps.
//
// [RULES.md]: https://github.com/outrank-go/outrank/blob/main/resource/RULES.md
package resource
