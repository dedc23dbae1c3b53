package devices

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/outrank-go/outrank"
)

// Objects are the objects that the filter reads. It keeps the pointers and never writes to the objects. The
// caller must not write to them, either, while a filter has them, as with those of a lister.
type Objects struct {
	// Pods are the pods that have claims or ask for extended resources. Other pods may be among them. A pod that
	// is not among them has no claims, unless its outrank.Pod.Value is its *corev1.Pod.
	Pods []*corev1.Pod
	// Claims are all claims of the cluster.
	Claims []*resourcev1.ResourceClaim
	// InFlight are claims whose allocation a scheduler has decided and not yet written, with that allocation. A
	// dump has none.
	InFlight []*resourcev1.ResourceClaim
	// Slices are all slices of the cluster.
	Slices []*resourcev1.ResourceSlice
	// Classes are all device classes of the cluster.
	Classes []*resourcev1.DeviceClass
	// TaintRules are all rules of the cluster that taint devices. They count from v1.37 on.
	TaintRules []*resourcev1.DeviceTaintRule
	// Nominations are the nominations of pods that wait for the claims of their victims, and nominations that
	// have ended while such claims are allocated. They count only with Config.DRAPreemption.
	Nominations []*Nomination
}

// deepest is the number of lists that may be nested.
const deepest = 10

// Read reads the objects from what kubectl get -o json prints: a List, or several JSON documents one after
// another. It skips other kinds. Objects of the group resource.k8s.io must have version v1, which v1.34 and later
// serve. Read fills in the defaults that an API server fills in ([Complete]), because manifests leave them out.
// The error is one of r, or an [outrank.InputError] that names the object. Memory is twice that of the largest
// document.
func Read(r io.Reader) (Objects, error) {
	var o Objects
	if r == nil {
		return o, problem("input", "", "is nil")
	}
	d := json.NewDecoder(r)
	for i := 1; ; i++ {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if err == io.EOF {
			return o, nil
		}
		where := fmt.Sprintf("document %d", i)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) || errors.Is(err, io.ErrUnexpectedEOF) {
			return Objects{}, problem(where, "", err.Error())
		}
		if err == nil {
			err = o.read(where, raw, 0)
		}
		if err != nil {
			return Objects{}, err
		}
	}
}

// read adds an object, or the objects of a list. Where names the place of the object in errors.
func (o *Objects) read(where string, raw []byte, depth int) error {
	var head struct {
		Kind       string            `json:"kind"`
		APIVersion string            `json:"apiVersion"`
		Items      []json.RawMessage `json:"items"`
		Metadata   struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return problem(where, "", err.Error())
	}

	if head.Items != nil {
		if depth >= deepest {
			return problem(where, "items", fmt.Sprintf("more than %d lists lie one in the other", deepest))
		}
		for i, item := range head.Items {
			if err := o.read(fmt.Sprintf("%s, items[%d]", where, i), item, depth+1); err != nil {
				return err
			}
		}
		return nil
	}

	name := where + " (" + head.Kind + " " + head.Metadata.Name + ")"
	return o.readKind(head.Kind, head.APIVersion, name, raw)
}

// readKind adds an object of a kind. An object of a kind that the filter does not read is skipped, whatever it
// holds.
func (o *Objects) readKind(kind, version, name string, raw []byte) error {
	switch kind {
	case "Pod":
		return readInto(&o.Pods, name, raw)
	case "ResourceClaim", "ResourceSlice", "DeviceClass", "DeviceTaintRule":
		if version != resourcev1.SchemeGroupVersion.String() {
			return problem(name, "apiVersion", fmt.Sprintf("%q; %s is read", version, resourcev1.SchemeGroupVersion))
		}
	}

	switch kind {
	case "ResourceClaim":
		err := readInto(&o.Claims, name, raw)
		if err == nil {
			Complete(&o.Claims[len(o.Claims)-1].Spec)
		}
		return err
	case "ResourceSlice":
		return readInto(&o.Slices, name, raw)
	case "DeviceClass":
		return readInto(&o.Classes, name, raw)
	case "DeviceTaintRule":
		return readInto(&o.TaintRules, name, raw)
	}
	return nil
}

func readInto[T any](list *[]*T, name string, raw []byte) error {
	one := new(T)
	if err := json.Unmarshal(raw, one); err != nil {
		return problem(name, "", err.Error())
	}
	*list = append(*list, one)
	return nil
}

func problem(object, field, text string) error {
	return &outrank.InputError{Problems: []outrank.Problem{{Object: object, Field: field, Text: text}}}
}

// Validate returns everything that keeps the objects from being told apart, in one
// [outrank.InputError]: objects that are nil, objects without a name, and two objects of one name. Anything
// wrong within an object shows when a pod asks for it.
func (o *Objects) Validate() error {
	var v validator
	for i, p := range o.Pods {
		v.see("pod", i, p == nil, func() (string, string) { return p.Namespace, p.Name })
	}
	for i, c := range o.Claims {
		v.see("resourceclaim", i, c == nil, func() (string, string) { return c.Namespace, c.Name })
	}
	for i, c := range o.InFlight {
		v.see("in-flight resourceclaim", i, c == nil, func() (string, string) { return c.Namespace, c.Name })
	}
	for i, s := range o.Slices {
		v.see("resourceslice", i, s == nil, func() (string, string) { return "", s.Name })
	}
	for i, c := range o.Classes {
		v.see("deviceclass", i, c == nil, func() (string, string) { return "", c.Name })
	}
	for i, r := range o.TaintRules {
		v.see("devicetaintrule", i, r == nil, func() (string, string) { return "", r.Name })
	}

	// Several nominations may have ended. They have neither a pod nor claims.
	for i, n := range o.Nominations {
		if n == nil || n.Pod != "" || len(n.Claims) > 0 {
			v.see("nomination of pod", i, n == nil, func() (string, string) { return n.name().namespace, n.name().name })
		}
	}
	if len(v.problems) == 0 {
		return nil
	}
	return &outrank.InputError{Problems: v.problems}
}

type validator struct {
	seen     map[string]bool
	problems []outrank.Problem
}

// see notes an object of a list, and what is wrong with it.
func (v *validator) see(kind string, i int, missing bool, named func() (namespace, name string)) {
	object := fmt.Sprintf("%s %d", kind, i)
	add := func(field, text string) {
		v.problems = append(v.problems, outrank.Problem{Object: object, Field: field, Text: text})
	}
	if missing {
		add("", "is nil")
		return
	}

	namespace, name := named()
	if name == "" {
		add("metadata.name", "is empty")
		return
	}

	// From here on the object has a name for problems.
	if object = kind + " " + name; namespace != "" {
		object = kind + " " + namespace + "/" + name
	}
	if v.seen[object] {
		add("metadata.name", "there are two")
	}
	if v.seen == nil {
		v.seen = map[string]bool{}
	}
	v.seen[object] = true
}
