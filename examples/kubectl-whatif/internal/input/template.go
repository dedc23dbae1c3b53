package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Template is an object that makes pods, with the pod that it would make. A Pod is its own
// template.
type Template struct {
	// Kind, Namespace and Name identify the object.
	Kind, Namespace, Name string
	// Replicas is the number of pods that the object makes, 1 if it names none. For a Job it is the number of
	// pods that run at the same time. A DaemonSet makes one for each node that takes it, and has 0 here.
	Replicas int
	// Pod is the manifest of a pod as the object would make it. The pod has the name of the object.
	Pod json.RawMessage
	// Claims are the names of the claims that a StatefulSet makes for each of its pods.
	Claims []string
	// Ordinal is the number in the name of a StatefulSet's first pod. It is -1 for other kinds.
	Ordinal int
}

// String returns Kind/Name, the form in which an owner is written.
func (t *Template) String() string { return t.Kind + "/" + t.Name }

// Limited has what resource quotas look at and a scheduler does not: whether the pod has a deadline, and
// whether a preferred term of its pod affinity or anti-affinity selects namespaces.
type Limited struct{ Deadline, PrefersAcross bool }

// Limited reads these fields of the pod. Fields of a wrong type are left to the library, which reports them.
func (t *Template) Limited() (out Limited) {
	var pod struct {
		Spec struct {
			Deadline *json.RawMessage `json:"activeDeadlineSeconds"`
			Affinity struct {
				To   preferred `json:"podAffinity"`
				From preferred `json:"podAntiAffinity"`
			} `json:"affinity"`
		} `json:"spec"`
	}
	_ = json.Unmarshal(t.Pod, &pod)

	out.Deadline = pod.Spec.Deadline != nil
	for _, term := range slices.Concat(pod.Spec.Affinity.To.Terms, pod.Spec.Affinity.From.Terms) {
		out.PrefersAcross = out.PrefersAcross || len(term.Term.Namespaces) > 0 || term.Term.Selector != nil
	}
	return out
}

// preferred has the preferred terms of an affinity.
type preferred struct {
	Terms []struct {
		Term struct {
			Namespaces []string         `json:"namespaces"`
			Selector   *json.RawMessage `json:"namespaceSelector"`
		} `json:"podAffinityTerm"`
	} `json:"preferredDuringSchedulingIgnoredDuringExecution"`
}

// workload has the fields that the kinds that make pods have in common.
type workload struct {
	Metadata struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"metadata"`
	Spec workloadSpec `json:"spec"`
}

// workloadSpec has the fields of the specs of all these kinds.
type workloadSpec struct {
	Replicas    *int32 `json:"replicas"`
	Parallelism *int32 `json:"parallelism"`
	Completions *int32 `json:"completions"`
	Ordinals    struct {
		Start int32 `json:"start"`
	} `json:"ordinals"`
	Template             podTemplate   `json:"template"`
	VolumeClaimTemplates []claim       `json:"volumeClaimTemplates"`
	JobTemplate          *jobsTemplate `json:"jobTemplate"`
}

// jobsTemplate is the Job that a CronJob makes.
type jobsTemplate struct {
	Spec workloadSpec `json:"spec"`
}

// podTemplate is the pod that an object makes, as the object describes it.
type podTemplate struct {
	Metadata map[string]any `json:"metadata"`
	Spec     map[string]any `json:"spec"`
}

// claim is a claim that a StatefulSet makes for each of its pods.
type claim struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec map[string]any `json:"spec"`
}

// groups are the API groups of the kinds that make pods.
var groups = map[string][]string{
	"Pod": {""}, "ReplicationController": {""},
	"Deployment": {"apps", "extensions"}, "ReplicaSet": {"apps", "extensions"}, "DaemonSet": {"apps", "extensions"},
	"StatefulSet": {"apps"}, "Job": {"batch"}, "CronJob": {"batch"},
}

// MakesPods reports whether an object is of a kind that makes pods, or a Pod.
func (o *Object) MakesPods() bool {
	group, _, found := strings.Cut(o.APIVersion, "/")
	if !found {
		group = ""
	}

	// A manifest that is not applied may lack its version. No other kinds have these names.
	known := groups[o.Kind]
	return known != nil && (o.APIVersion == "" || slices.Contains(known, group))
}

// TemplateOf returns the pod that an object would make: with the labels of the template, owned by the object,
// and with what its controller adds, namely tolerations for a DaemonSet and claims for a StatefulSet. Errors
// are about fields of the object.
func TemplateOf(o Object) (*Template, error) {
	t := &Template{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name, Replicas: 1, Ordinal: -1, Pod: o.Raw}
	// An object that makes no pods is its own template as well, so that the library says what is wrong with it.
	if o.Kind == "Pod" || groups[o.Kind] == nil {
		return t, nil
	}

	// Numbers are kept as they are written.
	var w workload
	d := json.NewDecoder(bytes.NewReader(o.Raw))
	d.UseNumber()
	if err := d.Decode(&w); err != nil {
		return nil, fmt.Errorf("%s: %w", o.called(), plainly(err))
	}
	if w.Metadata.Name == "" {
		return nil, fmt.Errorf("%s has no metadata.name", strings.ToLower(o.Kind))
	}

	spec, at := &w.Spec, "spec.template.spec"
	if o.Kind == "CronJob" {
		if w.Spec.JobTemplate == nil {
			return nil, fmt.Errorf("%s: spec.jobTemplate: missing", o.called())
		}
		spec, at = &w.Spec.JobTemplate.Spec, "spec.jobTemplate.spec.template.spec"
	}

	if spec.Template.Spec == nil {
		return nil, fmt.Errorf("%s: %s: missing", o.called(), at)
	}

	if err := t.count(spec); err != nil {
		return nil, fmt.Errorf("%s: %w", o.called(), err)
	}

	var err error
	t.Pod, err = t.pod(o.APIVersion, spec)
	return t, err
}

// plainly rewrites an error about a field of a wrong type in words for people.
func plainly(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s: %s where %s is wanted", wrong.Field, wrong.Value, wanted(wrong.Type.Kind().String()))
	}
	return err
}

// wanted returns words for a type of Go.
func wanted(kind string) string {
	switch kind {
	case "int32":
		return "a whole number"
	case "string":
		return "a text"
	case "slice":
		return "a list"
	}
	return "an object"
}

// count sets the number of pods, and the number in the name of a StatefulSet's first pod.
func (t *Template) count(s *workloadSpec) error {
	n := s.Replicas
	field := "spec.replicas"
	switch t.Kind {
	case "DaemonSet":
		t.Replicas = 0
		return nil
	case "Job", "CronJob":
		n, field = s.Parallelism, "parallelism"
		// A Job runs at most as many pods at once as have to succeed.
		if s.Completions != nil && n != nil && *n > *s.Completions {
			n = s.Completions
		}
	case "StatefulSet":
		t.Ordinal = int(max(0, s.Ordinals.Start))
	}

	if n == nil {
		return nil
	}
	if *n < 0 {
		return fmt.Errorf("%s: %d is negative", field, *n)
	}
	t.Replicas = int(*n)
	return nil
}

// pod writes the manifest of the pod. Of the template's metadata it has only the labels and annotations.
func (t *Template) pod(version string, s *workloadSpec) (json.RawMessage, error) {
	meta := map[string]any{}
	for _, field := range []string{"labels", "annotations"} {
		if v, ok := s.Template.Metadata[field]; ok {
			meta[field] = v
		}
	}

	meta["name"] = t.Name
	if t.Namespace != "" {
		meta["namespace"] = t.Namespace
	}
	meta["ownerReferences"] = []any{map[string]any{"apiVersion": version, "kind": t.Kind, "name": t.Name, "controller": true}}

	spec := s.Template.Spec
	switch t.Kind {
	case "DaemonSet":
		// What controllers add affects the nodes to which the pods may go.
		tolerate(spec)
	case "StatefulSet":
		claims(spec, s.VolumeClaimTemplates)
		for _, c := range s.VolumeClaimTemplates {
			t.Claims = append(t.Claims, c.Metadata.Name)
		}
	}
	return json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})
}

// tolerate adds the tolerations that the controller of DaemonSets adds. A list of tolerations of a wrong type
// is left to the library, which reports it.
func tolerate(spec map[string]any) {
	list, ok := spec["tolerations"].([]any)
	if spec["tolerations"] != nil && !ok {
		return
	}

	add := func(key, effect string) {
		list = append(list, map[string]any{"key": "node.kubernetes.io/" + key, "operator": "Exists", "effect": effect})
	}
	add("not-ready", "NoExecute")
	add("unreachable", "NoExecute")
	for _, key := range []string{"disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"} {
		add(key, "NoSchedule")
	}
	if host, _ := spec["hostNetwork"].(bool); host {
		add("network-unavailable", "NoSchedule")
	}
	spec["tolerations"] = list
}

// claims gives the pod a volume for each claim that is made for it, in place of any volume of the same name.
// The controller makes the claim before the pod, so that it can be treated like an ephemeral one. A list of
// volumes of a wrong type is left to the library, which reports it.
func claims(spec map[string]any, templates []claim) {
	if len(templates) == 0 {
		return
	}
	volumes, ok := spec["volumes"].([]any)
	if !ok && spec["volumes"] != nil {
		return
	}

	volumes = slices.DeleteFunc(slices.Clone(volumes), func(v any) bool {
		volume, _ := v.(map[string]any)
		return slices.ContainsFunc(templates, func(c claim) bool { return volume["name"] == c.Metadata.Name })
	})
	for _, c := range templates {
		volumes = append(volumes, map[string]any{"name": c.Metadata.Name,
			"ephemeral": map[string]any{"volumeClaimTemplate": map[string]any{"spec": c.Spec}}})
	}
	spec["volumes"] = volumes
}
