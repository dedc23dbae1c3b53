package outrank

import "github.com/outrank-go/outrank/internal/manifest"

// UnmarshalJSON reads a label selector; null changes nothing. The error is an
// *[InputError] with all that could not be read; whether the selector is valid
// is for [LabelSelector.Validate] to say, because budgets may have invalid ones.
func (s *LabelSelector) UnmarshalJSON(text []byte) error {
	return unmarshalPart(text, "label selector", s, func(cv *converter, w *manifest.LabelSelector) *LabelSelector {
		return cv.selector(w)
	})
}

// MarshalJSON returns spec.affinity of a pod.
func (a Affinity) MarshalJSON() ([]byte, error) {
	return marshal(func(e *encoder) any {
		e.subject = "affinity"
		if w := wireAffinity(&a); w != nil {
			return w
		}
		return &manifest.Affinity{}
	})
}

// UnmarshalJSON reads spec.affinity of a pod; null changes nothing. The error is
// an *[InputError] with all that could not be read; the rules beyond that are
// those of [Pod.Validate].
func (a *Affinity) UnmarshalJSON(text []byte) error {
	return unmarshalPart(text, "affinity", a, func(cv *converter, w *manifest.Affinity) *Affinity {
		read := cv.affinity(w)
		return &read
	})
}

// MarshalJSON returns an entry of spec.containers of a pod. Allocated and Actual
// are left out: they stand in the pod's status, and [Pod.MarshalJSON] has them.
func (c Container) MarshalJSON() ([]byte, error) {
	return marshal(func(e *encoder) any {
		e.subject = "container " + c.Name
		w := wireContainer(&c)
		return &w
	})
}

// UnmarshalJSON reads an entry of spec.containers of a pod; null changes
// nothing. Allocated and Actual are nil afterwards. The error is an *[InputError]
// with all that could not be read; the rules beyond that are those of
// [Pod.Validate].
func (c *Container) UnmarshalJSON(text []byte) error {
	return unmarshalPart(text, "container", c, func(cv *converter, w *manifest.Container) *Container {
		cv.name = w.Name
		read := cv.container(w, nil)
		return &read
	})
}

// unmarshalPart reads a part of an object, called what in errors, into to.
func unmarshalPart[W, T any](text []byte, what string, to *T, convert func(*converter, *W) *T) error {
	if isNull(text) {
		return nil
	}
	var w W
	more := 0
	cv := converter{kind: what, texts: map[string]string{}, more: &more}
	for _, m := range manifest.Decode(text, &w) {
		cv.problems = append(cv.problems, Problem{cv.object(), m.Field, m.Text})
		more += m.More
	}
	read := convert(&cv, &w)
	if len(cv.problems) > 0 {
		return &InputError{Problems: cv.problems, More: more}
	}
	*to = *read
	return nil
}
