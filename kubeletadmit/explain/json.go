package explain

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/document"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// apiVersion is the version of a [Report]'s JSON. Adding a member keeps it; renaming or
// removing one, or giving it another meaning, changes it.
const apiVersion = "outrank/v1"

// MarshalJSON returns the report as REPORT_JSON.md in this package's folder describes it, in one
// line and with a version.
func (r Report) MarshalJSON() ([]byte, error) { return document.Marshal(r.object()) }

// UnmarshalJSON reads what [Report.MarshalJSON] returns. null changes nothing. An error is an
// *[outrank.InputError] and leaves r as it was.
func (r *Report) UnmarshalJSON(text []byte) error {
	const name = "admission report"
	switch {
	case r == nil:
		return &outrank.InputError{Problems: []outrank.Problem{{Object: name, Text: "there is nothing to read it into"}}}
	case string(text) == "null":
		return nil
	}
	var read Report
	if err := document.Unmarshal(text, name, read.object()); err != nil {
		return err
	}
	*r = read
	return nil
}

// object lists the members of a report's JSON, for writing and for reading. The methods named
// object below do the same for the parts of a report.
func (r *Report) object() document.Object {
	return document.Object{
		document.Follows("apiVersion", apiVersion),
		document.Follows("kind", "AdmissionReport"),
		document.Part("pod", &r.Pod, (*Pod).object),
		document.Value("node", &r.Node),
		document.Optional("critical", &r.Critical),
		document.Value("outcome", &r.Outcome),
		document.Optional("reason", &r.Reason),
		document.Optional("message", &r.Message),
		document.Optional("choice", &r.Choice),
		document.Pointer("search", &r.Search, searchObject),
		document.Pointer("kubelet", &r.Kubelet, (*Kubelet).object),
		document.Parts("failures", &r.Failures, (*Failure).object),
		document.Cut(document.Parts("tiers", &r.Tiers.Items, (*Tier).object), &r.Tiers.More),
		document.OptionalParts("missing", &r.Missing, needObject),

		// The list may be cut, so the number of all pods stands before it.
		counted(document.OptionalThrough("stays", r.Stay.Len, func(n int) { r.Stay.More = n }), "stay", &r.Stay),
	}
}

// counted returns the member of a list of pods, preceded by the number of all pods. When it is
// read, More becomes that number less the length of the list.
func counted(count document.Member, name string, l *List[Pod]) document.Member {
	list := document.OptionalParts(name, &l.Items, (*Pod).object)
	return document.With(count, document.Then(list, func() { l.More = max(0, l.More-len(l.Items)) }))
}

func searchObject(s *kubeletadmit.Certificate) document.Object {
	return document.Object{
		document.Value("optimal", &s.Optimal),
		document.Value("steps", &s.Steps),
		document.Parts("tiers", &s.Tiers, countObject),
	}
}

func countObject(t *kubeletadmit.TierCount) document.Object {
	return document.Object{
		document.Value("class", &t.Class),
		document.Optional("priority", &t.Priority),
		document.Value("chosen", &t.Chosen),
		document.Value("atLeast", &t.AtLeast),
	}
}

func (k *Kubelet) object() document.Object {
	return document.Object{
		document.Value("evicts", &k.Evicts),
		counted(document.Through("spares", k.Spared.Len, func(n int) { k.Spared.More = n }), "spared", &k.Spared),
		document.Cut(document.OptionalParts("instead", &k.Instead.Items, (*Pod).object), &k.Instead.More),
	}
}

func (p *Pod) object() document.Object {
	return document.Object{document.Value("key", &p.Key), document.Optional("priority", &p.Priority)}
}

// amount returns the member of an amount, written as a quantity of its resource.
func amount(name string, of *resource.Name, v *int64) document.Member {
	return document.Through(name, func() resource.Quantity { return prose.Quantity(*of, *v) }, func(q resource.Quantity) { *v = resource.Amount(*of, q) })
}

func needObject(n *kubeletadmit.ResourceNeed) document.Object {
	return document.Object{document.Value("resource", &n.Resource), amount("amount", &n.Resource, &n.Amount)}
}

func (f *Failure) object() document.Object {
	c := &f.Check
	name := &c.Resource
	return document.Object{
		// Members of a shortage. The amounts come after the resource, which says how to read them.
		document.Optional("resource", name),
		document.If(c.Requested != 0, amount("requested", name, &c.Requested)),
		document.If(c.Used != 0, amount("used", name, &c.Used)),
		document.If(c.Capacity != 0, amount("capacity", name, &c.Capacity)),
		document.OptionalFollows("short", prose.Quantity(*name, c.Shortage())),

		// Members of a failed predicate.
		document.Optional("predicate", &c.Predicate),
		document.Optional("words", &c.Text),
		document.Optional("wantedNode", &f.WantedNode),
		document.OptionalParts("labels", &f.Labels, (*Label).object),
		document.Optional("affinity", &f.Affinity),
		document.OptionalParts("ports", &f.Ports, (*Port).object),
		document.OptionalParts("taints", &f.Taints, taintObject),
		document.Optional("more", &f.More),
	}
}

// object writes the node's value as the member "have", or "missing": true if the node has no
// such label. An empty value is written as neither, and neither is read as an empty value.
func (l *Label) object() document.Object {
	have := func() string {
		if l.Have == nil {
			return ""
		}
		return *l.Have
	}

	// beThere records that the node has the label: with the value read before, or an empty one.
	beThere := func() {
		if l.Have == nil {
			l.Have = new(string)
		}
	}
	beMissing := func(missing bool) {
		l.Have = nil
		if !missing {
			beThere()
		}
	}

	return document.Object{
		document.Value("key", &l.Key),
		document.Value("value", &l.Value),
		document.OptionalThrough("have", have, func(text string) { l.Have = &text }),
		document.Else(document.OptionalThrough("missing", func() bool { return l.Have == nil }, beMissing), beThere),
	}
}

func (p *Port) object() document.Object {
	return document.Object{
		document.Value("port", &p.HostPort),
		document.Value("protocol", &p.Protocol),
		document.Value("ip", &p.HostIP),
		document.Pointer("holder", &p.Holder, (*Pod).object),
	}
}

// taintObject lists the members of a taint, with the toleration that would help.
func taintObject(t *outrank.Taint) document.Object {
	return document.Object{
		document.Value("key", &t.Key),
		document.Optional("value", &t.Value),
		document.Value("effect", &t.Effect),
		document.Follows("toleration", t.Toleration()),
	}
}

func (t *Tier) object() document.Object {
	return document.Object{
		document.Value("class", &t.Class),
		document.Optional("priority", &t.Priority),
		document.Value("pods", &t.Pods),
		document.Parts("holds", &t.Holds, needObject),
		document.Parts("covers", &t.Covers, needObject),
		document.Cut(document.Parts("rounds", &t.Rounds.Items, (*Round).object), &t.Rounds.More),
	}
}

func (r *Round) object() document.Object {
	return document.Object{
		document.Part("pod", &r.Pod, (*Pod).object),
		document.Value("distance", &r.Distance),
		document.Parts("frees", &r.Frees, contributionObject),
		document.Pointer("runnerUp", &r.RunnerUp, (*Pod).object),
		document.Optional("runnerUpDistance", &r.RunnerUpDistance),
		document.Optional("decidedBy", &r.DecidedBy),
	}
}

func contributionObject(c *kubeletadmit.Contribution) document.Object {
	return document.Object{
		document.Value("resource", &c.Resource),
		amount("needed", &c.Resource, &c.Needed),
		amount("frees", &c.Resource, &c.Frees),
		document.Follows("left", prose.Quantity(c.Resource, max(resource.SubSat(c.Needed, c.Frees), 0))),
	}
}
