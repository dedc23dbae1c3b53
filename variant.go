package outrank

import (
	"fmt"
	"slices"
)

// Variant says whose preemption is followed, from the victims to the queue. It is a field of
// preemption.Config and of queue.Config; a loop of package attempt refuses two that differ. A plan
// names its variant, so that whatever carries the plan out, counts and logs it follows the same one.
// The zero value is what kube-scheduler does by the rules of a [Release]. The other variants do not
// look at the release where the table says that they differ.
//
//	                       kube-scheduler           v1.13                      simplified
//	a pod waits            for victims of a         for any pod of lower       while it is nominated, unless
//	                       preemption on its node   priority that leaves it    nothing can help on that node
//	PreemptionPolicy Never is not allowed to        means nothing              is not allowed to
//	pod without priority   has priority 0           has priority 0             is not allowed to
//	preemption off         is no attempt            counts as an attempt       is no attempt
//	nodes without a status are left out             are tried                  are left out
//	nodes smaller than the are left out             are tried, unless another  are left out
//	pod when empty                                  filter leaves them out
//	no nodes at all        turn the pod down        are an error               turn the pod down
//	victims                put back what fits       put back what fits         taken until the pod fits
//	pods of one priority   by their start           by their names             by their start
//	victims without        have priority 0          have priority 0            are always possible
//	priority
//	filters are asked      with and without the     with and without the       with the nominated pods
//	                       nominated pods           nominated pods
//	anti-affinity of       counts once the filter   counts once the filter     counts once the filter
//	nominated pods         has other terms to ask   has other terms to ask     has other terms to ask
//	own nomination         takes no room            takes no room              takes no room
//	violations             one for a victim         one for a victim, if a     one for a victim and a
//	                                                budget allows nothing      budget
//	disruptedPods          do not count twice       do not matter              do not matter
//	empty selectors        cover nothing            cover nothing              cover everything
//	nobody has to leave    the node is out          the node is taken at once  the node is out
//	ranks (11.2 to 11.6)   1 2 3 4 5                1 2 3 4                    1 2 4 3
//	rank 2 reads           the highest victim       the first, violating ones  the highest victim
//	                                                come first
//	order of execution     is a setting             nomination, victims one    victims one by one from the
//	                                                by one, clearing           lowest up, clearing, nomination
//	victims that leave     are passed over          are deleted again          are deleted again
//	DisruptionTarget       is set on victims        is not known               is not known
//	grace period           the victim's own         the victim's own           0 s
//	own nomination         goes where nothing helps goes where no node is      goes where nothing helps
//	                                                worth a try
//	queue                  backoff and hints        no backoff; any event      backoff and hints
//	                                                moves all
//	log lines              are today's              are those of then          are none
//
// In two rows no column differs, though the texts that describe the variants do: by these the anti-affinity of
// nominated pods always counts in v1.13 and in the simplified variant, and in the simplified variant the pod's own
// nomination takes room from the pod itself. Here the filters see neither (rules 7.13.16 and 7.16.1).
type Variant uint8

// The variants beside the zero value.
const (
	// VariantV1_13 is the scheduler of Kubernetes v1.13 (group 13.2).
	VariantV1_13 Variant = iota + 1
	// VariantSimplified is a short form of preemption found in tutorials (group 13.3).
	VariantSimplified
)

// variantWords has the word of each variant.
var variantWords = []string{"current", "v1.13", "simplified"}

// String returns "current" for zero, "v1.13" or "simplified".
func (v Variant) String() string {
	if int(v) < len(variantWords) {
		return variantWords[v]
	}
	return fmt.Sprintf("Variant(%d)", uint8(v))
}

// MarshalText returns what String does; an unknown variant is an error.
func (v Variant) MarshalText() ([]byte, error) {
	if int(v) >= len(variantWords) {
		return nil, fmt.Errorf("%w: variant %d is none", ErrInvalid, uint8(v))
	}
	return []byte(v.String()), nil
}

// UnmarshalText reads what MarshalText returns. Any other word is an error, and
// changes nothing.
func (v *Variant) UnmarshalText(text []byte) error {
	at := slices.Index(variantWords, string(text))
	if at < 0 {
		return fmt.Errorf("%w: variant %q is none of current, v1.13, simplified", ErrInvalid, text)
	}
	*v = Variant(at)
	return nil
}
