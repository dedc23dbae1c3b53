package execution

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
)

// Texts of the reference's messages.
const (
	noNodesMessage   = "no nodes available to schedule pods"
	notHelpfulReason = "Preemption is not helpful for scheduling"
	// noClaimsMessage is from the step for devices of v1.36, which is asked for a way out
	// before preemption and has none.
	noClaimsMessage   = "no new claims to deallocate"
	preemptionMessage = "preemption: "
	// noCandidateMessage is the message of preemption if extenders left no candidate.
	noCandidateMessage = "no candidate node for preemption"
	// nothingNotedMessage is the error of the step for devices about a pod that was refused before the
	// step had prepared any state for it.
	nothingNotedMessage = "not found"
)

// errNoNodes is the error of v1.13 for lack of nodes (rule 13.2.17).
var errNoNodes = errors.New(noNodesMessage)

// message returns why the attempt failed, in the words of the reference.
func (f *podFailure) message(kind failureKind) string {
	switch kind {
	case noNodes:
		return noNodesMessage
	case nodeRefused:
		return nodesMessage(1, []preemption.Count{{Status: *f.Refused, Nodes: 1}})
	case noFit:
		return f.noFitMessage()
	}
	if f.Err != nil {
		return f.Err.Error()
	}
	return f.Refused.String()
}

// noFitMessage returns the message for a pod that every node turned down: the reasons of the nodes, and then
// the messages of the ways out.
func (f *podFailure) noFitMessage() string {
	plan := f.Plan
	var space [textSpace]byte
	text := space[:0]

	// If the pod was refused before any node was asked, the one reason is given once and without a count.
	if refused := &plan.Refused; refused.Code != preemption.Success {
		text = append(appendNodes(text, nodesOf(plan), nil), ' ')
		text = append(append(text, strings.Join(refused.Reasons, ", ")...), '.')
	} else {
		text = appendNodes(text, nodesOf(plan), plan.TurnedDown)
	}

	if plan.Outcome == preemption.Preempts && f.preemptionErr() == nil {
		return string(f.appendPlacement(text))
	}
	if why := f.wayOut(); why != "" {
		text = append(append(text, ' '), why...)
	}
	return string(text)
}

// appendPlacement appends the message of the way out that helps. If it has none of its own, from v1.37 on
// the message of preemption is appended (rule 11.11).
func (f *podFailure) appendPlacement(text []byte) []byte {
	rules := f.rules()
	switch found := f.lastWay().Found; {
	case found != "":
		return append(append(text, ' '), found...)
	case !rules.SuccessText:
		return text
	}

	text = append(text, " "+preemptionMessage+"found a potential placement for pod on node "...)
	text = append(append(text, f.Plan.Node...), ", preempting "...)
	return append(strconv.AppendInt(text, int64(len(f.Plan.Victims)), 10), " victims"...)
}

// wayOut returns why there is no way out for the pod (rules 15.3.2 to 15.3.4, and 15.3.7), empty if there is
// one.
func (f *podFailure) wayOut() string {
	rules := f.rules()
	last := f.lastWay()
	switch {
	// An error is given alone, in the words of the way that failed if it has any.
	case f.Err != nil && f.Plan.Outcome != preemption.Preempts && last.Says != "":
		return last.Says
	case f.preemptionErr() != nil:
		return preemptionMessage + f.preemptionErr().Error()
	case f.Plan.Outcome == preemption.Fits:
		return ""

	// Without ways, the default scheduler asks the step for devices and then preemption.
	case f.devicesFail():
		return nothingNotedMessage
	case f.Ways == nil && rules.DevicesSilent:
		return whyNot(f.Plan) // rule 15.3.8
	case f.Ways == nil && switchedOff(f.Plan):
		return noClaimsMessage
	case f.Ways == nil:
		return noClaimsMessage + ", " + whyNot(f.Plan)
	}

	var said []string
	for i := range f.Ways {
		if text := cmp.Or(f.Ways[i].Says, whyNot(f.Ways[i].Plan)); text != "" {
			said = append(said, text)
		}
	}
	return strings.Join(said, ", ")
}

// lastWay returns the way out that was asked last. If any way helps or has failed it is this one, since no
// further one is asked. It is zero without ways.
func (f *podFailure) lastWay() WayOut {
	if len(f.Ways) == 0 {
		return WayOut{}
	}
	return f.Ways[len(f.Ways)-1]
}

// whyNot returns the message of preemption about a plan that does not help, empty without a plan.
func whyNot(p *preemption.Plan) string {
	switch {
	case p == nil || switchedOff(p):
		return ""
	case p.Outcome == preemption.NotEligible:
		return preemptionMessage + p.Ineligible.Message()
	case dropped(p):
		return preemptionMessage + noCandidateMessage
	}
	return preemptionMessage + nodesMessage(nodesOf(p), withUntried(p))
}

// dropped reports whether there were candidates and extenders dropped all of them (rule 8.12).
func dropped(p *preemption.Plan) bool {
	return p.Outcome == preemption.NothingHelps && slices.ContainsFunc(p.Unhelpful, func(c preemption.Count) bool {
		return slices.Contains(c.Reasons, prose.Dropped)
	})
}

// withUntried returns the answers of preemption about all nodes that turned the pod down. The nodes on which it
// was not tried get the answer that preemption is not helpful.
func withUntried(p *preemption.Plan) []preemption.Count {
	left := nodesOf(p)
	for _, c := range p.Unhelpful {
		left -= c.Nodes
	}
	untried := preemption.Count{Status: preemption.Status{Reasons: []string{notHelpfulReason}}, Nodes: left}
	return append(slices.Clone(p.Unhelpful), untried)
}

// nodesOf returns the number of nodes whose answers a plan has.
func nodesOf(p *preemption.Plan) int {
	n := p.Feasible
	for _, c := range p.TurnedDown {
		n += c.Nodes
	}
	return n
}

// textSpace is the size in bytes of the buffers for messages. Most messages fit, and need no other memory.
const textSpace = 256

// nodesMessage returns the message that none of the nodes is available, with the number of nodes for each
// reason, sorted by text (FitError.Error). A node may have several reasons.
func nodesMessage(nodes int, counts []preemption.Count) string {
	var space [textSpace]byte
	return string(appendNodes(space[:0], nodes, counts))
}

// appendNodes appends the message that nodesMessage returns.
func appendNodes(text []byte, nodes int, counts []preemption.Count) []byte {
	text = append(strconv.AppendInt(append(text, "0/"...), int64(nodes), 10), " nodes are available:"...)

	var space [8]reasonCount
	separator := " "
	for _, given := range sumReasons(space[:0], counts) {
		text = append(strconv.AppendInt(append(text, separator...), int64(given.nodes), 10), ' ')
		text, separator = append(text, given.reason...), ", "
	}
	if separator != " " {
		text = append(text, '.')
	}
	return text
}

// reasonCount is a reason with the number of nodes that gave it.
type reasonCount struct {
	reason string
	nodes  int
}

// compareText compares two counts as the texts "<nodes> <reason>" would be. Both numbers must be above zero.
func (r reasonCount) compareText(o reasonCount) int {
	a, b := uint64(r.nodes), uint64(o.nodes)
	m, n := digits(a), digits(b)

	// The shorter number is filled up with zeros at its end, and the two are compared as numbers. If they
	// are equal then, the one with fewer digits is a prefix of the other and comes first.
	for range n - m {
		a *= 10
	}
	for range m - n {
		b *= 10
	}
	return cmp.Or(cmp.Compare(a, b), cmp.Compare(m, n), strings.Compare(r.reason, o.reason))
}

// digits returns how many decimal digits a number has.
func digits(v uint64) int {
	n := 1
	for ; v >= 10; v /= 10 {
		n++
	}
	return n
}

// sumReasons adds up the number of nodes for each reason. It appends the sums to an empty slice, sorts them by
// text, and leaves out reasons without nodes.
func sumReasons(sums []reasonCount, counts []preemption.Count) []reasonCount {
	// While there are few reasons, a search through all of them finds duplicates. Beyond that, reasons are
	// collected with duplicates, which are merged at the end.
	const few = 8
	for i := range counts {
		for _, reason := range counts[i].Reasons {
			at := -1
			if len(sums) <= few {
				at = slices.IndexFunc(sums, func(s reasonCount) bool { return s.reason == reason })
			}
			if at < 0 {
				at = len(sums)
				sums = append(sums, reasonCount{reason: reason})
			}
			sums[at].nodes += counts[i].Nodes
		}
	}
	if len(sums) > few {
		sums = mergeReasons(sums)
	}

	sums = slices.DeleteFunc(sums, func(r reasonCount) bool { return r.nodes <= 0 })
	slices.SortFunc(sums, reasonCount.compareText)
	return sums
}

// mergeReasons adds up the counts of each reason, in place.
func mergeReasons(sums []reasonCount) []reasonCount {
	slices.SortFunc(sums, func(a, b reasonCount) int { return strings.Compare(a.reason, b.reason) })
	merged := sums[:0]
	for _, s := range sums {
		if last := len(merged) - 1; last >= 0 && merged[last].reason == s.reason {
			merged[last].nodes += s.nodes
		} else {
			merged = append(merged, s)
		}
	}
	return merged
}

// messageLimit is the largest size of an event's message, in bytes. A longer message is cut and ends in
// cutMark.
const (
	messageLimit = 1024
	cutMark      = " ..."
)

// cutMessage shortens a message to the size that an event may have (truncateMessage).
// Unlike the reference it never cuts through a character.
func cutMessage(text string) string {
	if len(text) <= messageLimit {
		return text
	}
	at := messageLimit - len(cutMark)
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at] + cutMark
}
