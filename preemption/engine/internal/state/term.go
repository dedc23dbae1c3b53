package state

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
)

// Term is a pod affinity term, prepared for matching.
type Term struct {
	Key string // topology key
	// labels picks pods by their labels.
	labels Picker
	// namespaces has the names of the namespaces in which the term looks for pods, each once. spaces picks more
	// of them by their labels, and inSpaces matches like spaces. all stands for every namespace.
	namespaces []string
	spaces     *outrank.LabelSelector
	inSpaces   outrank.Matcher
	all        bool
}

// Picker is a valid label selector, prepared for matching. Without a selector it picks nothing.
type Picker struct {
	Selector *outrank.LabelSelector
	matcher  outrank.Matcher
	// alone is set if the selector asks for one label, name, with one value, as most do.
	alone       bool
	name, value string
}

// NewPicker prepares a selector, which must be valid or nil.
func NewPicker(s *outrank.LabelSelector) Picker {
	p := Picker{Selector: s}
	p.matcher, _ = s.Matcher() // which is valid
	if s != nil && len(s.MatchLabels) == 1 && len(s.MatchExpressions) == 0 {
		p.name, p.value, p.alone = firstLabel(s.MatchLabels)
	}
	return p
}

// Picks reports whether the selector picks an object with these labels.
func (p *Picker) Picks(labels map[string]string) bool {
	if p.alone {
		value, ok := labels[p.name]
		return ok && value == p.value
	}
	return p.matcher.Matches(labels)
}

// Empty reports whether the selector picks everything.
func (p *Picker) Empty() bool { return p.Selector.Empty() }

// termsOf prepares the terms of a pod.
func termsOf(p *outrank.Pod, terms []outrank.PodAffinityTerm) []Term {
	var out []Term
	for i := range terms {
		t := &terms[i]

		// The pod's own labels narrow the term (rule 7.13.17). An empty namespace selector means
		// all namespaces (rule 7.13.13).
		prepared := Term{
			Key:    t.TopologyKey,
			labels: NewPicker(fit.NarrowedSelector(t.LabelSelector, p.Labels, t.MatchLabelKeys, t.MismatchLabelKeys)),
			all:    t.NamespaceSelector.Empty(),
		}
		for _, name := range t.Namespaces {
			if !slices.Contains(prepared.namespaces, name) {
				prepared.namespaces = append(prepared.namespaces, name)
			}
		}

		// An invalid selector picks nothing.
		if m, err := t.NamespaceSelector.Matcher(); err == nil && t.NamespaceSelector != nil {
			prepared.spaces, prepared.inSpaces = t.NamespaceSelector, m
		}

		// A term that says nothing about namespaces looks at that of its pod (rule 7.13.12).
		if len(t.Namespaces) == 0 && t.NamespaceSelector == nil {
			prepared.namespaces = []string{p.NamespaceName()}
		}
		out = append(out, prepared)
	}
	return out
}

// matches reports whether the term picks a pod with these labels in a namespace. namespaceLabels are the
// labels of the namespace; if they are not known, the namespace selector picks nothing.
func (t *Term) matches(namespace string, labels, namespaceLabels map[string]string, known bool) bool {
	return t.labels.Picks(labels) && t.looksIn(namespace, namespaceLabels, known)
}

// looksIn reports whether the term looks for pods in a namespace; see matches.
func (t *Term) looksIn(namespace string, labels map[string]string, known bool) bool {
	return t.all || slices.Contains(t.namespaces, namespace) || known && t.inSpaces.Matches(labels)
}

// appendKey appends all that the term says. Terms with the same key pick the same pods.
func (t *Term) appendKey(key *KeyWriter) {
	key.Text(t.Key)
	key.Selector(t.labels.Selector)
	key.Flag(t.all)
	key.Texts(t.namespaces)
	key.Selector(t.spaces)
}

// termIndex has the anti-affinity terms of all classes, equal ones once, and finds those that may pick a pod by
// the labels of the pod.
type termIndex struct {
	// classes has, by term, the classes that have it.
	classes idSets
	// byLabel has the terms by a label that a pod needs to be picked, or by the empty key.
	byLabel sharedIndex[*termList]
}

// termList is a list of different terms. The snapshot that owns it may write it; any other snapshot copies it
// first.
type termList struct {
	owner *Owner
	terms []keyedTerm
}

// keyedTerm is a term with its key.
type keyedTerm struct {
	key  string
	term *Term
}

func newTermIndex() termIndex {
	return termIndex{classes: idSets{NewSharedIndex[ids](0)}, byLabel: NewSharedIndex[*termList](0)}
}

func (x *termIndex) share() termIndex {
	return termIndex{classes: idSets{x.classes.byKey.Share()}, byLabel: x.byLabel.Share()}
}

func (x *termIndex) view() termIndex {
	return termIndex{classes: idSets{x.classes.byKey.view()}, byLabel: x.byLabel.view()}
}

// add enters the terms of a class, and remove takes them out.
func (x *termIndex) add(id int32, terms []Term, o *Owner) {
	eachKey(terms, func(key []byte, t *Term) {
		if _, ok := x.classes.of(key); !ok {
			x.list(keyedTerm{string(key), t}, o)
		}
		x.classes.add(key, id, o)
	})
}

func (x *termIndex) remove(id int32, terms []Term, o *Owner) {
	eachKey(terms, func(key []byte, t *Term) {
		x.classes.remove(key, id, o)
		if _, ok := x.classes.of(key); !ok {
			x.unlist(keyedTerm{string(key), t}, o)
		}
	})
}

// eachKey calls f with each term and its key. A pod may have a term twice, and then counts twice, so that
// the second has a key of its own.
func eachKey(terms []Term, f func(key []byte, t *Term)) {
	var earlier []KeyWriter
	for i := range terms {
		key := KeyWriter(make([]byte, 0, 128))
		terms[i].appendKey(&key)

		equal := 0
		for _, other := range earlier {
			if slices.Equal(other, key) {
				equal++
			}
		}
		earlier = append(earlier, slices.Clip(key))
		key.Number(equal)
		f(key, &terms[i])
	}
}

// list adds a term to the lists by label, and unlist removes it.
func (x *termIndex) list(t keyedTerm, o *Owner) {
	t.eachAnchor(func(anchor []byte) {
		l := x.writable(anchor, o)
		l.terms = append(l.terms, t)
	})
}

func (x *termIndex) unlist(t keyedTerm, o *Owner) {
	t.eachAnchor(func(anchor []byte) {
		l := x.writable(anchor, o)
		l.terms = slices.DeleteFunc(l.terms, func(other keyedTerm) bool { return other.key == t.key })
		if len(l.terms) == 0 {
			x.byLabel.Remove(string(anchor))
		}
	})
}

// writable returns the list of an anchor for writing.
func (x *termIndex) writable(anchor []byte, o *Owner) *termList {
	l, ok := x.byLabel.find(anchor)
	if ok && l.owner == o {
		return l
	}
	own := &termList{owner: o}
	if ok {
		own.terms = slices.Clone(l.terms)
	}
	x.byLabel.Set(string(anchor), own)
	return own
}

// eachAnchor calls f with the keys of labels such that a pod which the term picks has one of them: those of one
// requirement of its selector. Without such a requirement it is the empty key alone. A term with an invalid
// selector picks nothing, and has none.
func (t *keyedTerm) eachAnchor(f func(anchor []byte)) {
	s := t.term.labels.Selector
	if s == nil {
		return
	}

	key := KeyWriter(make([]byte, 0, 64))
	if name, value, ok := firstLabel(s.MatchLabels); ok {
		key.Text(name)
		key.Text(value)
		f(key)
		return
	}

	at := slices.IndexFunc(s.MatchExpressions, func(e outrank.Requirement) bool { return e.Operator == outrank.In })
	if at < 0 {
		f(key)
		return
	}
	e := &s.MatchExpressions[at]
	for i, value := range e.Values {
		if slices.Contains(e.Values[:i], value) {
			continue
		}
		key = key[:0]
		key.Text(e.Key)
		key.Text(value)
		f(key)
	}
}

// firstLabel returns the first of some labels, by name.
func firstLabel(labels map[string]string) (name, value string, ok bool) {
	for n, v := range labels {
		if !ok || n < name {
			name, value, ok = n, v, true
		}
	}
	return name, value, ok
}

// eachPicking calls f with the terms that pick a pod by its labels, and the classes that have them. The terms'
// namespaces are not looked at.
func (x *termIndex) eachPicking(labels map[string]string, f func(t *Term, classes ids)) {
	var space [128]byte
	key := KeyWriter(space[:0])
	look := func(anchor []byte) {
		l, ok := x.byLabel.find(anchor)
		if !ok {
			return
		}
		for _, t := range l.terms {
			if classes, ok := x.classes.byKey.Get(t.key); ok && t.term.labels.Picks(labels) {
				f(t.term, classes)
			}
		}
	}

	look(key)
	for name, value := range labels {
		key = key[:0]
		key.Text(name)
		key.Text(value)
		look(key)
	}
}
