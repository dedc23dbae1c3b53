package config

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
)

// Workload is an object that selects pods: a service or a controller.
type Workload struct {
	// Kind is Service, ReplicationController, ReplicaSet or StatefulSet. Default constraints ignore
	// any other kind.
	Kind            string
	Namespace, Name string
	// Selector is spec.selector. Only its MatchLabels count for a Service and a ReplicationController, which
	// have plain labels there.
	Selector *outrank.LabelSelector
}

// SpreadSelector returns a function for [preemption.Profile].SpreadSelector that knows these services and
// controllers (rule 19.3.5; helper.DefaultSelector). For a pod the function returns one selector, with the
// labels of all services of the pod's namespace that select it and the selector of the controller that made it.
// It returns nil if there is neither. It keeps the selectors, which must not change. Several goroutines may
// call the function at once; it takes time linear in the services of the pod's namespace.
func SpreadSelector(workloads []Workload) func(pod *outrank.Pod) *outrank.LabelSelector {
	// A pod is matched with all services of its namespace, but belongs to only one controller: so services are
	// kept by namespace, and controllers by kind and name.
	services := map[string][]*outrank.LabelSelector{}
	controllers := map[outrank.Owner]map[outrank.Key]*outrank.LabelSelector{}
	for _, w := range workloads {
		key := outrank.NewKey(w.Namespace, w.Name)
		if w.Kind == "Service" {
			namespace := (&outrank.Pod{Namespace: w.Namespace}).NamespaceName()
			services[namespace] = append(services[namespace], w.Selector)
			continue
		}
		owner := outrank.Owner{Kind: w.Kind, Name: w.Name}
		if controllers[owner] == nil {
			controllers[owner] = map[outrank.Key]*outrank.LabelSelector{}
		}
		controllers[owner][key] = w.Selector
	}

	return func(pod *outrank.Pod) *outrank.LabelSelector {
		if pod == nil {
			return nil
		}

		both := &outrank.LabelSelector{MatchLabels: map[string]string{}}
		for _, s := range services[pod.NamespaceName()] {
			if s != nil && (&outrank.LabelSelector{MatchLabels: s.MatchLabels}).Matches(pod.Labels) {
				maps.Copy(both.MatchLabels, s.MatchLabels)
			}
		}

		addController(both, pod.Owner.Kind, controllers[pod.Owner][outrank.NewKey(pod.Namespace, pod.Owner.Name)])
		if both.Empty() {
			return nil
		}
		return both
	}
}

// addController adds the selector of a controller, if it is valid.
func addController(to *outrank.LabelSelector, kind string, s *outrank.LabelSelector) {
	switch {
	case s == nil || s.Validate() != nil:
	case kind == "ReplicationController":
		maps.Copy(to.MatchLabels, s.MatchLabels)
	case kind == "ReplicaSet" || kind == "StatefulSet":
		for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
			to.MatchExpressions = append(to.MatchExpressions, outrank.Requirement{Key: key, Operator: outrank.In, Values: []string{s.MatchLabels[key]}})
		}
		to.MatchExpressions = append(to.MatchExpressions, s.MatchExpressions...)
	}
}
