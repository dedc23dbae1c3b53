package explain

import (
	"github.com/outrank-go/outrank/internal/document"
)

func (w *Way) object() document.Object {
	return document.Object{
		document.Parts("steps", &w.Steps, (*Step).object),
		document.Value("outcome", &w.Outcome),
		optional("victims", &w.Victims),
		document.Optional("limited", &w.Limited),
	}
}

func (s *Step) object() document.Object {
	return document.Object{
		document.Pointer("obstacle", &s.Obstacle, (*Obstacle).object),
		document.Optional("changes", &s.Changes),
		optional("evicted", &s.Evicted),
	}
}

func (l *Leaving) object() document.Object {
	return document.Object{
		document.Value("node", &l.Node),
		document.Value("nodes", &l.Nodes),
		document.Cut(document.Value("pods", &l.Pods.Items), &l.Pods.More),
	}
}

func (e *Eviction) object() document.Object {
	return document.Object{
		document.Cut(document.Value("pods", &e.Pods.Items), &e.Pods.More),
		document.Value("node", &e.Node),
		document.Value("outcome", &e.Outcome),
		optional("victims", &e.Victims),
	}
}

func (n *Nothing) object() document.Object {
	return document.Object{
		document.Pointer("nearest", &n.Nearest, (*Nearest).object),
		document.Pointer("enough", &n.Enough, (*Enough).object),
		document.Pointer("lower", &n.Lower, (*Enough).object),
		document.Pointer("copies", &n.Copies, (*Enough).object),
		document.Optional("searchedTo", &n.SearchedTo),
		document.Optional("hopeless", &n.Hopeless),
		document.Pointer("alone", &n.Alone, (*Nearest).object),
		document.Pointer("eviction", &n.Eviction, (*Eviction).object),
		document.Optional("noEviction", &n.NoEviction),
	}
}

func (n *Nearest) object() document.Object {
	return document.Object{
		document.Value("node", &n.Node),
		document.Value("gone", &n.Gone),
		document.Parts("missing", &n.Missing, (*Room).object),
	}
}

func (e *Enough) object() document.Object {
	return document.Object{
		document.Value("priority", &e.Priority),
		document.Value("outcome", &e.Outcome),
		document.Optional("node", &e.Node),
		optional("victims", &e.Victims),
		document.Optional("class", &e.Class),
		document.OptionalFollows("beyondUsers", e.beyondUsers()),
	}
}
