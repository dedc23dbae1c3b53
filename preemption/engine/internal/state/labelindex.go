package state

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// labelIndex finds the classes that a selector picks, without a look at all of them: it has the classes of each
// namespace, of these those with a label, and of these those with a value of the label.
type labelIndex struct {
	sets idSets
	// namespaces counts the classes by namespace.
	namespaces sharedIndex[int32]
	space      KeyWriter // memory for keys
}

func newLabelIndex() labelIndex {
	return labelIndex{sets: idSets{NewSharedIndex[ids](0)}, namespaces: NewSharedIndex[int32](0)}
}

func (x *labelIndex) share() labelIndex {
	return labelIndex{sets: idSets{x.sets.byKey.Share()}, namespaces: x.namespaces.Share()}
}

func (x *labelIndex) view() labelIndex {
	return labelIndex{sets: idSets{x.sets.byKey.view()}, namespaces: x.namespaces.view()}
}

// add enters a class, and remove takes it out.
func (x *labelIndex) add(id int32, k *PodClass, o *Owner) {
	classes, _ := x.namespaces.Get(k.Namespace)
	x.namespaces.Set(k.Namespace, classes+1)
	x.eachKey(k, func(key []byte) { x.sets.add(key, id, o) })
}

func (x *labelIndex) remove(id int32, k *PodClass, o *Owner) {
	if classes, _ := x.namespaces.Get(k.Namespace); classes > 1 {
		x.namespaces.Set(k.Namespace, classes-1)
	} else {
		x.namespaces.Remove(k.Namespace)
	}
	x.eachKey(k, func(key []byte) { x.sets.remove(key, id, o) })
}

// eachKey calls f with the keys of all sets that a class is in. A key is valid until f returns.
func (x *labelIndex) eachKey(k *PodClass, f func(key []byte)) {
	key := x.space[:0]
	key.Text(k.Namespace)
	f(key)

	namespace := len(key)
	for name, value := range k.Labels {
		key = key[:namespace]
		key.Text(name)
		f(key)
		key.Text(value)
		f(key)
	}
	x.space = key
}

// question asks for the classes of a namespace by one requirement of a selector.
type question struct {
	// sets are disjoint: a label has one value.
	sets []ids
	// not asks for the classes in none of the sets.
	not bool
}

// size returns how many classes the sets have together.
func (q *question) size() (n int32) {
	for _, set := range q.sets {
		n += set.size()
	}
	return n
}

// holds reports whether a class meets the requirement.
func (q *question) holds(id int32) bool {
	for _, set := range q.sets {
		if set.has(id) {
			return !q.not
		}
	}
	return q.not
}

// selected calls f for the classes of a namespace that a valid selector picks; nil picks none. It goes through
// the smallest set that has all of them, and takes time in proportion to it.
func (x *labelIndex) selected(namespace string, s *outrank.LabelSelector, f func(id int32)) {
	var space [128]byte
	key := KeyWriter(space[:0])
	key.Text(namespace)
	all, ok := x.sets.of(key)
	if s == nil || !ok {
		return
	}

	questions := x.questions(key, s)
	least, size := -1, all.size()
	for i := range questions {
		if q := &questions[i]; !q.not && q.size() <= size {
			least, size = i, q.size()
		}
	}

	through := []ids{all}
	if least >= 0 {
		through = questions[least].sets
		questions[least] = questions[len(questions)-1]
		questions = questions[:len(questions)-1]
	}
	for _, set := range through {
		for id := range set.all() {
			if holdsAll(questions, id) {
				f(id)
			}
		}
	}
}

// holdsAll reports whether a class meets all requirements.
func holdsAll(questions []question, id int32) bool {
	for i := range questions {
		if !questions[i].holds(id) {
			return false
		}
	}
	return true
}

// questions turns the requirements of a selector into questions about the classes of a namespace, with which the
// key begins.
func (x *labelIndex) questions(key KeyWriter, s *outrank.LabelSelector) (questions []question) {
	namespace := len(key)
	ask := func(not bool, name string, values ...string) {
		q := question{not: not}
		for i, value := range values {
			if slices.Contains(values[:i], value) {
				continue // the sets have to be disjoint
			}
			key = key[:namespace]
			key.Text(name)
			key.Text(value)
			if set, ok := x.sets.of(key); ok {
				q.sets = append(q.sets, set)
			}
		}
		questions = append(questions, q)
	}

	for name, value := range s.MatchLabels {
		ask(false, name, value)
	}
	for i := range s.MatchExpressions {
		switch e := &s.MatchExpressions[i]; e.Operator {
		case outrank.In, outrank.NotIn:
			ask(e.Operator == outrank.NotIn, e.Key, e.Values...)
		default:
			key = key[:namespace]
			key.Text(e.Key)
			q := question{not: e.Operator == outrank.DoesNotExist}
			if set, ok := x.sets.of(key); ok {
				q.sets = append(q.sets, set)
			}
			questions = append(questions, q)
		}
	}
	return questions
}
