package apitest

import (
	_ "embed"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/outrank-go/outrank/examples/clientgo/convert"
)

// Kind is a kind of API objects that package convert reads.
type Kind struct {
	// Name is a name such as "pod", or "workload v1alpha3" if the version is not the newest.
	Name string
	// Type is the type of the objects, for example corev1.Pod.
	Type reflect.Type
	// Convert converts a pointer to an object of the type. Its errors come from package convert.
	Convert func(o any) (any, error)

	// Read lists the fields that are read, as paths such as spec.containers[].name. A path includes all fields
	// below it.
	Read []string
	// Ignored has all other fields, by path, with the reason why they are not read.
	Ignored map[string]string
	// Valid are objects that an API server accepts. They must not be changed.
	Valid []runtime.Object
}

func kindOf[A, T any](name string, convert func(*A) (T, error)) Kind {
	return Kind{Name: name, Type: reflect.TypeFor[A](), Convert: func(o any) (any, error) { return convert(o.(*A)) }}
}

var (
	//go:embed fields.txt
	fieldsText string
	//go:embed valid.yaml
	validText string
)

// Kinds returns all kinds. An error is about the files of this package that list the fields and the objects.
func Kinds() ([]Kind, error) {
	kinds := []Kind{
		// These are converted as part of a cluster, which takes its time from them.
		kindOf("pod", func(p *corev1.Pod) (any, error) {
			return convert.Cluster(convert.Objects{Pods: []*corev1.Pod{p}})
		}),
		kindOf("node", func(n *corev1.Node) (any, error) {
			return convert.Cluster(convert.Objects{Nodes: []*corev1.Node{n}})
		}),

		kindOf("poddisruptionbudget", convert.Budget),
		kindOf("priorityclass", convert.PriorityClass),
		kindOf("namespace", convert.Namespace),

		// A claim is read twice: for itself, and for its reference to a volume.
		kindOf("persistentvolumeclaim", func(c *corev1.PersistentVolumeClaim) (any, error) {
			claim, err := convert.Claim(c)
			return []any{claim, convert.BindingOf(c)}, err
		}),
		kindOf("persistentvolume", convert.Volume),
		kindOf("storageclass", convert.StorageClass),
		kindOf("csinode", convert.CSINode),
		kindOf("csidriver", convert.CSIDriver),

		// Groups have two versions. Each release serves one of them.
		kindOf("podgroup", convert.PodGroup),
		kindOf("podgroup v1alpha3", convert.PodGroupAlpha),
		kindOf("compositepodgroup", convert.CompositePodGroup),
		kindOf("workload", convert.Workload),
		kindOf("workload v1alpha3", convert.WorkloadAlpha),
	}

	if err := readFields(kinds); err != nil {
		return nil, err
	}
	return kinds, readValid(kinds)
}

// named returns the kind of that name.
func named(kinds []Kind, name string) (*Kind, error) {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%q is no kind", name)
	}
	return &kinds[i], nil
}

// readFields reads fields.txt. A line with a kind, followed by "read" or by "ignored" and a reason, stands
// above the indented paths to which it applies.
func readFields(kinds []Kind) error {
	var kind *Kind
	reason := ""
	for i, line := range strings.Split(fieldsText, "\n") {
		path, within := strings.CutPrefix(line, "  ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case within && kind == nil:
			return fmt.Errorf("fields.txt:%d: no kind", i+1)
		case within && reason == "":
			kind.Read = append(kind.Read, path)
		case within:
			kind.Ignored[path] = reason
		default:
			var err error
			if kind, reason, err = readHead(kinds, line); err != nil {
				return fmt.Errorf("fields.txt:%d: %w", i+1, err)
			}
		}
	}

	for i := range kinds {
		slices.Sort(kinds[i].Read)
	}
	return nil
}

// readHead reads a line of fields.txt above paths. The reason is empty if the paths are read.
func readHead(kinds []Kind, line string) (kind *Kind, reason string, err error) {
	name, rest, _ := strings.Cut(line, ": ")
	reason, ignored := strings.CutPrefix(rest, "ignored, ")
	if !ignored {
		if rest != "read" {
			return nil, "", errors.New("neither read nor ignored")
		}
		reason = ""
	}

	if kind, err = named(kinds, name); err != nil {
		return nil, "", err
	}
	if kind.Ignored == nil {
		kind.Ignored = map[string]string{}
	}
	return kind, reason, nil
}

// readValid reads valid.yaml. Each of its documents has the name of a kind and an object.
func readValid(kinds []Kind) error {
	for _, document := range strings.Split(validText, "\n---\n") {
		var one map[string]any
		if err := yaml.Unmarshal([]byte(document), &one); err != nil {
			return fmt.Errorf("valid.yaml: %w", err)
		}

		for name, content := range one {
			k, err := named(kinds, name)
			if err != nil {
				return fmt.Errorf("valid.yaml: %w", err)
			}
			text, err := yaml.Marshal(content)
			if err != nil {
				return fmt.Errorf("valid.yaml: %s: %w", name, err)
			}

			o := reflect.New(k.Type).Interface().(runtime.Object)
			if err := yaml.UnmarshalStrict(text, o); err != nil {
				return fmt.Errorf("valid.yaml: %s: %w", name, err)
			}
			k.Valid = append(k.Valid, o)
		}
	}

	for _, k := range kinds {
		if len(k.Valid) == 0 {
			return fmt.Errorf("valid.yaml: no %s", k.Name)
		}
	}
	return nil
}

// Why returns the reason why a field is ignored, and the path in Ignored that covers it. Both are empty if it
// is not ignored.
func (k *Kind) Why(path string) (at, reason string) {
	for at = path; at != ""; {
		if reason, ok := k.Ignored[at]; ok {
			return at, reason
		}
		if i := strings.LastIndexAny(at, ".["); i >= 0 {
			at = at[:i]
		} else {
			at = ""
		}
	}
	return "", ""
}

// Leaves calls f with each field of the kind that has no fields of its own. Its path has the form
// spec.containers[].name.
func (k *Kind) Leaves(f func(path string, of reflect.Type)) { leaves(k.Type, "", nil, f) }

func leaves(t reflect.Type, at string, within []reflect.Type, f func(path string, of reflect.Type)) {
	switch {
	case t.Kind() == reflect.Pointer:
		leaves(t.Elem(), at, within, f)
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		leaves(t.Elem(), at+"[]", within, f)
	case t.Kind() == reflect.Struct && t != timeType && t != quantityType && t != intstrType && t.NumField() > 0:
		if slices.Contains(within, t) {
			f(at, t) // a type that contains itself is visited once
			return
		}
		within = append(slices.Clone(within), t)
		for i := range t.NumField() {
			leaves(t.Field(i).Type, join(at, t.Field(i)), within, f)
		}
	default:
		f(at, t)
	}
}

// join returns the path of a field below another. Embedded fields and TypeMeta add nothing to the path.
func join(at string, f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		return at
	}
	return strings.TrimPrefix(at+"."+name, ".")
}
