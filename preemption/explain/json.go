package explain

import (
	"github.com/outrank-go/outrank/internal/document"
	"github.com/outrank-go/outrank/preemption"
)

// MarshalJSON returns the report in the format of REPORT_JSON.md in this package's folder, in one line and with a
// version.
func (r Report) MarshalJSON() ([]byte, error) { return document.Marshal(r.object()) }

// UnmarshalJSON reads what [Report.MarshalJSON] returns. An error is an *[outrank.InputError] and leaves r as it was.
func (r *Report) UnmarshalJSON(text []byte) error { return read(text, "report", r, (*Report).object) }

// MarshalJSON returns the answer in the format of REPORT_JSON.md in this package's folder, in one line and with a
// version.
func (a NodeAnswer) MarshalJSON() ([]byte, error) { return document.Marshal(a.object()) }

// UnmarshalJSON reads what [NodeAnswer.MarshalJSON] returns. An error is an *[outrank.InputError] and leaves a as it
// was.
func (a *NodeAnswer) UnmarshalJSON(text []byte) error {
	return read(text, "node answer", a, (*NodeAnswer).object)
}

// MarshalJSON returns the report in the format of REPORT_JSON.md in this package's folder, in one line and with a
// version.
func (r GroupReport) MarshalJSON() ([]byte, error) { return document.Marshal(r.object()) }

// UnmarshalJSON reads what [GroupReport.MarshalJSON] returns. An error is an *[outrank.InputError] and leaves r as it
// was.
func (r *GroupReport) UnmarshalJSON(text []byte) error {
	return read(text, "group report", r, (*GroupReport).object)
}

// object describes the document of a report, for writing and for reading.
func (r *Report) object() document.Object {
	return document.Object{
		header("Report"),
		document.Value("pod", &r.Pod),
		document.Value("outcome", &r.Outcome),
		document.Optional("resize", &r.Resize),
		r.ineligible(),
		document.Pointer("refused", &r.Refused, (*Obstacle).object),
		document.Pointer("choice", &r.Choice, (*Choice).object),
		r.leave(),
		document.Pointer("stay", &r.Stay, (*Stay).object),
		document.Parts("nodes", &r.Nodes, (*NodeGroup).object),
		document.Pointer("leaving", &r.Leaving, (*Leaving).object),
		document.Pointer("nothing", &r.Nothing, (*Nothing).object),
	}
}

// byCaller is the value of the member "ineligible" if a rule of the caller gave the reason. The member "refusal"
// then has its text.
const byCaller = "by-caller"

// ineligible returns the member that says why the pod may not preempt, followed by the member with the text of a
// reason that the caller's rule gave.
func (a *Answer) ineligible() document.Member {
	return document.With(
		document.OptionalThrough("ineligible", func() preemption.Ineligibility {
			if refusalOf(a.Ineligible) != "" {
				return byCaller
			}
			return a.Ineligible
		}, func(word preemption.Ineligibility) { a.Ineligible = word }),
		document.OptionalThrough("refusal", func() string { return refusalOf(a.Ineligible) }, func(text string) { a.Ineligible = preemption.Ineligibility(text) }),
	)
}

// leave returns the members of the victims and of the budgets that they violate.
func (a *Answer) leave() document.Member {
	return document.With(
		document.Cut(document.Parts("victims", &a.Victims.Items, (*Victim).object), &a.Victims.More),
		document.Cut(document.Parts("budgets", &a.Budgets.Items, (*Budget).object), &a.Budgets.More),
	)
}

func (c *Choice) object() document.Object {
	second := &c.RunnerUp
	return document.Object{
		document.Value("node", &c.Node),
		document.Value("candidates", &c.Candidates),
		document.Part("score", &c.Score, scoreObject),
		optional("budgets", &c.Budgets),
		document.Optional("decidedBy", &c.DecidedBy),
		document.Optional("runnerUp", &second.Node),
		document.If(second.Node != "", document.Part("runnerUpScore", &second.Score, scoreObject)),
		optional("runnerUpBudgets", &second.Budgets),
		document.OptionalParts("rounds", &c.Rounds, (*Round).object),
	}
}

func (r *Round) object() document.Object {
	return document.Object{document.Value("rank", &r.Rank), document.Value("left", &r.Left)}
}

func (v *Victim) object() document.Object {
	return document.Object{
		document.Value("pod", &v.Pod),
		document.Optional("owner", &v.Owner),
		document.Optional("rule", &v.Rule),
		document.Optional("with", &v.With),
		document.Optional("terminating", &v.Terminating),
		document.Pointer("blocks", &v.Blocks, (*Obstacle).object),
		document.Optional("atItsTurn", &v.AtItsTurn),
		optional("budgets", &v.Budgets),
	}
}

func (b *Budget) object() document.Object {
	return document.Object{
		document.Value("key", &b.Key),
		document.Value("allowed", &b.Allowed),
		document.Cut(document.Value("victims", &b.Victims.Items), &b.Victims.More),
	}
}

func (s *Stay) object() document.Object {
	return document.Object{
		document.Cut(document.Parts("spared", &s.Spared.Items, (*Spared).object), &s.Spared.More),
		optional("protected", &s.Protected),
		document.Value("higher", &s.Higher),
		document.Parts("room", &s.Room, (*Room).object),
	}
}

func (p *Spared) object() document.Object {
	return document.Object{
		document.Value("pod", &p.Pod),
		document.Value("takes", &p.Takes),
		document.Optional("below", &p.Below),
		optional("budgets", &p.Budgets),
	}
}

func (g *NodeGroup) object() document.Object {
	return document.Object{
		document.Value("stage", &g.Stage),
		document.Through("count", g.Names.Len, func(n int) { g.Names.More = n }),
		document.Through("names", func() []string { return g.Names.Items }, func(names []string) {
			g.Names.Items = names
			g.Names.More = max(0, g.Names.More-len(names))
		}),
		document.Optional("lostBy", &g.LostBy),
		document.Value("example", &g.Example),
		document.Pointer("score", &g.Score, scoreObject),
		document.Pointer("before", &g.Before, (*Obstacle).object),
		document.Pointer("after", &g.After, (*Obstacle).object),
		document.Optional("victims", &g.Victims),
		g.way(&g.Example),
		document.Optional("mixed", &g.Mixed),
	}
}

// way returns the member of the obstacles on a node. The document names the node only in an earlier member, from which
// reading fills in Way.Node.
func (v *Verdict) way(node *string) document.Member {
	return document.Then(document.Pointer("way", &v.Way, (*Way).object), func() { v.Way.Node = *node })
}

func (a *NodeAnswer) object() document.Object {
	return document.Object{
		header("NodeAnswer"),
		document.Value("pod", &a.Pod),
		document.Value("outcome", &a.Outcome),
		document.Value("node", &a.Node),
		document.Value("stage", &a.Stage),
		document.Pointer("refused", &a.Refused, (*Obstacle).object),
		a.ineligible(),
		document.Value("fits", &a.Fits),
		document.Value("candidates", &a.Candidates),
		document.Pointer("before", &a.Before, (*Obstacle).object),
		document.Pointer("after", &a.After, (*Obstacle).object),
		a.way(&a.Node),
		document.Cut(document.Value("possible", &a.Possible.Items), &a.Possible.More),
		a.leave(),
		document.Optional("place", &a.Place),
		document.Pointer("score", &a.Score, scoreObject),
		document.Optional("best", &a.Best.Node),
		document.If(a.Best.Node != "", document.Part("bestScore", &a.Best.Score, scoreObject)),
		document.Optional("lostBy", &a.LostBy),
		optional("bestBudgets", &a.Best.Budgets),
	}
}
