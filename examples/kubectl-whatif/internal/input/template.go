package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Template is an object that makes pods, with the pod that it would make. A Pod is its own.
type Template struct {
	// Kind, Namespace and Name are those of the object.
	Kind, Namespace, Name string
	// Replicas is the number of pods that it makes, 1 where it names none; of a Job those
	// that run at once. A DaemonSet makes one for each node that takes it, and has 0 here.
	Replicas int
	// Pod is the manifest of a pod as it would make it, of its own name.
	Pod json.RawMessage
	// Claims are the names of the claims that a StatefulSet makes for each of its pods.
	Claims []string
	// Ordinal is the number in the name of the first pod, of a StatefulSet; -1 for others.
	Ordinal int
}

// String returns Kind/Name, the text of an owner.
func (t *Template) String() string { return t.Kind + "/" + t.Name }

// Limited is what resource quotas look at beside a pod as it is placed: whether it has a deadline,
// and whether a preferred term of affinity to pods, or against them, names namespaces.
type Limited struct{ Deadline, PrefersAcross bool }

// Limited looks at the pod. Fields of a wrong type are for the library to complain of.
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

type preferred struct {
	Terms []struct {
		Term struct {
			Namespaces []string         `json:"namespaces"`
			Selector   *json.RawMessage `json:"namespaceSelector"`
		} `json:"podAffinityTerm"`
	} `json:"preferredDuringSchedulingIgnoredDuringExecution"`
}

// workload is the common part of the kinds that make pods.
type workload struct {
	Metadata struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"metadata"`
	Spec workloadSpec `json:"spec"`
}

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

type jobsTemplate struct {
	Spec workloadSpec `json:"spec"`
}

type podTemplate struct {
	Metadata map[string]any `json:"metadata"`
	Spec     map[string]any `json:"spec"`
}

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
	known := groups[o.Kind]
	// Nothing else has these names, and a manifest for a look may lack its version.
	return known != nil && (o.APIVersion == "" || slices.Contains(known, group))
}

// TemplateOf returns the pod that an object would make: with its labels, as its
// child, and with its controller's additions: tolerations in a DaemonSet and
// claims in a StatefulSet. Errors are about fields of the object.
func TemplateOf(o Object) (*Template, error) {
	t := &Template{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name, Replicas: 1, Ordinal: -1, Pod: o.Raw}
	if o.Kind == "Pod" || groups[o.Kind] == nil { // or kinds of the library, an error of the API server
		return t, nil
	}
	var w workload
	d := json.NewDecoder(bytes.NewReader(o.Raw))
	d.UseNumber() // amounts stay as they are written
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

// plainly names a field of a wrong type.
func plainly(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s: %s where %s is wanted", wrong.Field, wrong.Value, wanted(wrong.Type.Kind().String()))
	}
	return err
}

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

// count sets the number of pods.
func (t *Template) count(s *workloadSpec) error {
	n := s.Replicas
	field := "spec.replicas"
	switch t.Kind {
	case "DaemonSet":
		t.Replicas = 0
		return nil
	case "Job", "CronJob":
		n, field = s.Parallelism, "parallelism"
		if s.Completions != nil && (n == nil || *n > *s.Completions) && n != nil {
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

// pod writes the manifest of the pod.
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
		tolerate(spec)
	case "StatefulSet":
		claims(spec, s.VolumeClaimTemplates)
		for _, c := range s.VolumeClaimTemplates {
			t.Claims = append(t.Claims, c.Metadata.Name)
		}
	}
	return json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})
}

// tolerate adds the tolerations of the controller of daemon sets.
func tolerate(spec map[string]any) {
	list, ok := spec["tolerations"].([]any)
	if _, there := spec["tolerations"]; there && !ok && spec["tolerations"] != nil {
		return // for the library to complain of
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

// claims gives the pod a volume for each claim that is made for it; it replaces
// one of the same name. The controller makes such a claim before the pod, so that
// it is like one that is made along with the pod.
func claims(spec map[string]any, templates []claim) {
	if len(templates) == 0 {
		return
	}
	volumes, ok := spec["volumes"].([]any)
	if !ok && spec["volumes"] != nil {
		return // for the library to complain of
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
