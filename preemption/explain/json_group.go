package explain

import (
	"github.com/outrank-go/outrank/internal/document"
)

func (r *GroupReport) object() document.Object {
	return document.Object{
		header("GroupReport"),
		document.Optional("group", &r.Group),
		document.Optional("tree", &r.Tree),
		document.Value("outcome", &r.Outcome),
		document.Optional("ineligible", &r.Ineligible),
		document.Cut(document.Parts("seats", &r.Seats.Items, seatObject), &r.Seats.More),
		document.Pointer("turnedDown", &r.TurnedDown, (*NoPlace).object),
		document.Pointer("unhelpful", &r.Unhelpful, (*NoPlace).object),
		document.Cut(document.Parts("victims", &r.Victims.Items, (*GroupVictim).object), &r.Victims.More),
		document.Value("violations", &r.Violations),
		document.Value("victimPods", &r.VictimPods),
	}
}

// seatObject describes the document of a pod of the group with the node that it gets.
func seatObject(p *Pod) document.Object {
	return document.Object{document.Value("pod", &p.Key), document.Value("priority", &p.Priority), document.Value("node", &p.Node)}
}

func (n *NoPlace) object() document.Object {
	return document.Object{
		document.Optional("pod", &n.Pod),
		document.Cut(document.OptionalParts("nodes", &n.Nodes.Items, (*NodeWord).object), &n.Nodes.More),
		document.Optional("reason", &n.Reason),
		document.Pointer("guard", &n.Guard, guardObject),
	}
}

// guardObject describes the document of what a guard says. It has a name where an obstacle has its filter.
func guardObject(o *Obstacle) document.Object {
	return document.Object{document.Value("name", &o.Filter), document.Optional("reasons", &o.Reasons)}
}

func (w *NodeWord) object() document.Object {
	return document.Object{
		document.Optional("filter", &w.Filter),
		document.Optional("reasons", &w.Reasons),
		document.Value("count", &w.Count),
	}
}

func (v *GroupVictim) object() document.Object {
	return document.Object{
		document.Optional("group", &v.Group),
		document.Optional("tree", &v.Tree),
		document.Value("priority", &v.Priority),
		document.Cut(document.Value("pods", &v.Pods.Items), &v.Pods.More),
		document.Optional("rule", &v.Rule),
		document.Pointer("blocks", &v.Blocks, (*NoPlace).object),
		optional("budgets", &v.Budgets),
	}
}
