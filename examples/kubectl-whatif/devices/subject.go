package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/priority"
)

// subject is the pod in question.
type subject struct {
	pod  *outrank.Pod
	from string
	// maker is the object that makes the pod. It is nil for a pod of the dump.
	maker *input.Template
	// warnings are about the manifest.
	warnings []outrank.Problem
}

// The sources of a pod.
const (
	fromDump     = "dump"
	fromManifest = "manifest"
)

// mostNear is the most names in a message.
const mostNear = 5

// pending finds a waiting pod of the dump.
func (d *dump) pending(namespace, name string) (*subject, error) {
	if space, rest, ok := strings.Cut(name, "/"); ok {
		namespace, name = space, rest
	}

	p := d.cluster.Pod(namespace, name)
	switch key := outrank.NewKey(namespace, name); {
	case p == nil:
		return nil, fmt.Errorf("there is no pod %s in the dump%s", key, d.waiting("; pending with claims: "))
	case p.NodeName != "":
		return nil, fmt.Errorf("pod %s is not pending, it already runs on node %s%s", key, p.NodeName, d.waiting("; pending with claims: "))
	}
	return &subject{pod: p, from: fromDump}, nil
}

// waiting names waiting pods that depend on devices, after an introduction. It is empty if there are none.
func (d *dump) waiting(before string) string {
	var names []string
	for _, p := range d.cluster.Pods {
		if p.NodeName == "" && concerns(p) {
			names = append(names, string(p.Key()))
		}
	}

	slices.Sort(names)
	if len(names) == 0 {
		return ""
	}
	return before + some(names, mostNear)
}

// bring reads manifests: the object that makes the pod in question, and its claims and templates. The pod in
// question is one of the pods that the object would make.
func (d *dump) bring(name, namespace string, r io.Reader) (*subject, error) {
	text, err := input.JSON(r)
	if err != nil {
		return nil, fmt.Errorf("--filename %s: %w", name, err)
	}

	m := &manifests{namespace: namespace, left: map[string]bool{}}
	if err := input.Each(text, func(o input.Object) error { return m.sort(d, o) }); err != nil {
		return nil, console.Unusable("--filename "+name, err)
	}
	if len(m.makers) != 1 {
		return nil, notOne(name, m.makers)
	}
	if err := d.add(&m.objects); err != nil {
		return nil, console.Unusable("--filename "+name, err)
	}

	s, err := d.made(name, namespace, m.makers[0])
	if err == nil && len(m.left) > 0 {
		s.warnings = append(s.warnings, outrank.Problem{Object: "--filename " + name, Text: "left out: " + some(slices.Sorted(maps.Keys(m.left)), mostNear)})
	}
	return s, err
}

// manifests are the objects of a file.
type manifests struct {
	// namespace is the namespace of objects that name none.
	namespace string
	// makers are the objects that make pods.
	makers []*input.Template
	// objects has the text of the objects about devices, except templates.
	objects bytes.Buffer
	// left has the kinds of which objects are left out.
	left map[string]bool
}

// sort files an object by its kind. Templates of claims go directly into the dump.
func (m *manifests) sort(d *dump, o input.Object) error {
	if o.MakesPods() {
		t, err := input.TemplateOf(o)
		m.makers = append(m.makers, t)
		return err
	}

	if o.Namespace == "" && strings.HasPrefix(o.Kind, "ResourceClaim") {
		var err error
		if o.Raw, err = inNamespace(o.Raw, m.namespace); err != nil {
			return err
		}
	}
	before := m.objects.Len()
	err := d.keep(&m.objects, o)
	if m.objects.Len() == before && o.Kind != "ResourceClaimTemplate" {
		m.left[cmp.Or(o.Kind, "an object without a kind")] = true
	}
	return err
}

// notOne returns the error about manifests that do not make exactly one pod.
func notOne(name string, makers []*input.Template) error {
	if len(makers) == 0 {
		return fmt.Errorf("--filename %s holds no pod and nothing that makes pods", name)
	}
	var names []string
	for _, t := range makers {
		names = append(names, t.String())
	}
	return fmt.Errorf("--filename %s holds %d objects that make pods (%s), and the question is about one; give it in a file of its own", name, len(names), some(names, mostNear))
}

// add adds objects of manifests. Objects that the dump has already are kept as they are.
func (d *dump) add(text io.Reader) error {
	more, err := devices.Read(text)
	if err != nil {
		return err
	}

	for _, c := range more.Claims {
		if d.claim(claimKey(c)) == nil {
			d.objects.Claims = append(d.objects.Claims, c)
		}
	}

	for _, c := range more.Classes {
		if !slices.ContainsFunc(d.objects.Classes, func(known *resourcev1.DeviceClass) bool { return known.Name == c.Name }) {
			d.objects.Classes = append(d.objects.Classes, c)
		}
	}

	for _, s := range more.Slices {
		if !slices.ContainsFunc(d.objects.Slices, func(known *resourcev1.ResourceSlice) bool { return known.Name == s.Name }) {
			d.objects.Slices = append(d.objects.Slices, s)
		}
	}

	d.identify()
	return d.objects.Validate()
}

// inNamespace sets the namespace of an object.
func inNamespace(raw json.RawMessage, namespace string) (json.RawMessage, error) {
	var o map[string]any
	if err := json.Unmarshal(raw, &o); err != nil {
		return nil, err
	}
	if meta, ok := o["metadata"].(map[string]any); ok {
		meta["namespace"] = namespace
	}
	return json.Marshal(o)
}

// made makes the pod of an object, and adds its API object to the dump. The pod gets a name that no pod of the
// dump has, the UID by which its claims refer to it, and the priority of its class.
func (d *dump) made(name, namespace string, t *input.Template) (*subject, error) {
	pod, warnings, err := kube.ReadManifest(bytes.NewReader(t.Pod))
	if err != nil {
		return nil, console.Unusable("--filename "+name, err)
	}
	// The filter for devices reads the API object, and the engine reads the pod.
	object := &corev1.Pod{}
	if err := json.Unmarshal(t.Pod, object); err != nil {
		return nil, console.Unusable("--filename "+name, problem(t.String(), "", err.Error()))
	}

	// A pod that nothing makes keeps the name in its manifest.
	if pod.Namespace == "" {
		pod.Namespace = namespace
	}
	for n, base := 2, pod.Name; d.cluster.Pod(pod.Namespace, pod.Name) != nil; n++ {
		if t.Kind == "Pod" {
			return nil, fmt.Errorf("the dump has a pod %s already; ask about it with --pending, or give the manifest another metadata.name", pod.Key())
		}
		pod.Name = fmt.Sprintf("%s-%d", base, n)
	}

	pod.UID = "the pod of the manifest"
	object.Name, object.Namespace, object.UID = pod.Name, pod.Namespace, types.UID(pod.UID)

	// A pod with a priority of its own keeps it if the dump lacks its class.
	table, err := priority.NewTable(d.cluster.Classes)
	if err != nil {
		return nil, console.Unusable(d.source, err)
	}
	if r, err := table.Resolve(pod); err == nil {
		*pod = r.Apply(*pod)
	} else if !errors.Is(err, priority.ErrUnknownClass) || pod.Priority == nil {
		return nil, console.Unusable("--filename "+name, err)
	}

	d.cluster.ResolveVolumes(pod)
	d.objects.Pods = append(d.objects.Pods, object)

	s := &subject{pod: pod, from: fromManifest, maker: t}
	for _, w := range warnings {
		// The library ignores claims for devices and warns about that. This program looks at them.
		if w.Field != "spec.resourceClaims" {
			s.warnings = append(s.warnings, w)
		}
	}
	return s, nil
}

// makeClaims makes the claims of a waiting pod from their templates, as the controller of resource claims does.
// It returns their names.
func (d *dump) makeClaims(p *corev1.Pod) (made []outrank.Key) {
	for i := range p.Spec.ResourceClaims {
		ref := &p.Spec.ResourceClaims[i]
		known := func(s corev1.PodResourceClaimStatus) bool { return s.Name == ref.Name }
		if ref.ResourceClaimTemplateName == nil || slices.ContainsFunc(p.Status.ResourceClaimStatuses, known) {
			continue
		}

		t := d.templates[outrank.NewKey(p.Namespace, *ref.ResourceClaimTemplateName)]
		if t == nil {
			continue
		}

		// Another claim may have the name already.
		key := outrank.NewKey(p.Namespace, p.Name+"-"+ref.Name)
		for n := 2; d.claim(key) != nil; n++ {
			key = outrank.NewKey(p.Namespace, fmt.Sprintf("%s-%s-%d", p.Name, ref.Name, n))
		}

		_, name := key.Split()
		c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: name, UID: types.UID("claim " + string(key)),
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: p.Name, UID: p.UID, Controller: new(true)}}}}
		c.Spec = *t.Spec.Spec.DeepCopy()
		d.objects.Claims = append(d.objects.Claims, c)
		p.Status.ResourceClaimStatuses = append(p.Status.ResourceClaimStatuses, corev1.PodResourceClaimStatus{Name: ref.Name, ResourceClaimName: &name})
		made = append(made, key)
	}
	return made
}
