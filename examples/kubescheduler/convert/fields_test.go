package convert_test

import (
	"bufio"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/outrank-go/outrank/examples/kubescheduler/convert"
)

// subject is a kind whose fields are accounted for.
type subject struct {
	kind    string
	object  reflect.Type
	convert func(o any) any // the result for an object
}

// result is the result of a conversion.
type result struct {
	value any
	err   string
}

func subjectOf[A, T any](kind string, convert func(*A) (T, error)) subject {
	return subject{kind, reflect.TypeFor[A](), func(o any) any {
		value, err := convert(o.(*A))
		if err != nil {
			return result{err: err.Error()}
		}
		return result{value: value}
	}}
}

var subjects = []subject{
	subjectOf("pod", func(p *corev1.Pod) (any, error) { // with the time that a cluster takes from it
		return convert.Cluster(convert.Objects{Pods: []*corev1.Pod{p}})
	}),
	subjectOf("node", func(n *corev1.Node) (any, error) {
		return convert.Cluster(convert.Objects{Nodes: []*corev1.Node{n}})
	}),
	subjectOf("poddisruptionbudget", convert.Budget),
	subjectOf("priorityclass", convert.PriorityClass),
	subjectOf("namespace", convert.Namespace),
	subjectOf("persistentvolumeclaim", func(c *corev1.PersistentVolumeClaim) (any, error) {
		claim, err := convert.Claim(c)
		return []any{claim, convert.BindingOf(c)}, err
	}),
	subjectOf("persistentvolume", convert.Volume),
	subjectOf("storageclass", convert.StorageClass),
	subjectOf("csinode", convert.CSINode),
	subjectOf("csidriver", convert.CSIDriver),
	subjectOf("podgroup", convert.PodGroup),
	subjectOf("podgroup v1alpha3", convert.PodGroupAlpha),
	subjectOf("compositepodgroup", convert.CompositePodGroup),
	subjectOf("workload", convert.Workload),
	subjectOf("workload v1alpha3", convert.WorkloadAlpha),
}

var (
	_ = policyv1.PodDisruptionBudget{}
	_ = schedulingv1.PriorityClass{}
	_ = schedulingv1alpha3.PodGroup{}
	_ = schedulingv1beta1.PodGroup{}
	_ = storagev1.CSINode{}
)

// leaves lists the fields of a type down to those that have none, as paths such as
// spec.containers[].name.
func leaves(t reflect.Type, at string, within []reflect.Type, add func(path string, of reflect.Type)) {
	switch {
	case t.Kind() == reflect.Pointer:
		leaves(t.Elem(), at, within, add)
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		leaves(t.Elem(), at+"[]", within, add)
	case t.Kind() == reflect.Struct && t != timeType && t != quantityType && t != intstrType && t.NumField() > 0:
		if slices.Contains(within, t) {
			add(at, t) // a type within itself is accounted for where it stands first
			return
		}
		within = append(slices.Clone(within), t)
		for i := range t.NumField() {
			leaves(t.Field(i).Type, join(at, t.Field(i)), within, add)
		}
	default:
		add(at, t)
	}
}

// join is the path of a field: embedded ones and TypeMeta add none of their own.
func join(at string, f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		return at
	}
	return strings.TrimPrefix(at+"."+name, ".")
}

// account is the entry of testdata/fields.txt for the fields of a kind.
type account struct {
	read    map[string]bool
	ignored map[string]string // the reason, by path
}

func accounts(t *testing.T) map[string]*account {
	file, err := os.Open("testdata/fields.txt")
	require.NoError(t, err)
	defer file.Close()
	out := map[string]*account{}
	var current *account
	reason, number := "", 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		number++
		line := lines.Text()
		switch path, within := strings.CutPrefix(line, "  "); {
		case line == "" || strings.HasPrefix(line, "#"):
		case within && reason == "":
			current.read[path] = true
		case within:
			current.ignored[path] = reason
		default:
			kind, rest, found := strings.Cut(line, ": ")
			require.True(t, found, "line %d", number)
			if out[kind] == nil {
				out[kind] = &account{map[string]bool{}, map[string]string{}}
			}
			current = out[kind]
			why, ignored := strings.CutPrefix(rest, "ignored, ")
			require.True(t, ignored || rest == "read", "line %d", number)
			reason = map[bool]string{true: why}[ignored]
		}
	}
	return out
}

// why is the reason for which a field is ignored, if it is.
func (a *account) why(path string) (at, reason string) {
	for at = path; at != ""; {
		if reason, ok := a.ignored[at]; ok {
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

// Every field of the API's types is read, or ignored for a stated reason.
func TestEveryFieldIsAccountedFor(t *testing.T) {
	known := accounts(t)
	for _, s := range subjects {
		a := known[s.kind]
		if a == nil {
			t.Errorf("%s: not in testdata/fields.txt", s.kind)
			continue
		}
		unused := map[string]bool{}
		for path := range a.read {
			unused[path] = true
		}
		for path := range a.ignored {
			unused[path] = true
		}
		leaves(s.object, "", nil, func(path string, _ reflect.Type) {
			at, reason := a.why(path)
			switch {
			case a.read[path] && reason != "":
				t.Errorf("%s: %s is both read and ignored", s.kind, path)
			case !a.read[path] && reason == "":
				t.Errorf("%s: %s is new: read it, or say in testdata/fields.txt why not", s.kind, path)
			}
			delete(unused, path)
			delete(unused, at)
		})
		for _, path := range slices.Sorted(maps.Keys(unused)) {
			t.Errorf("%s: there is no %s any more", s.kind, path)
		}
	}
}

// places makes sure that there is a value at a path, and returns it: one of the
// elements where there are several.
func (f *filler) places(v reflect.Value, path string) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if below := v.Type().Elem(); path == "" && (below.Kind() != reflect.Struct || below.NumField() == 0) {
			return v // its target counts, or that there is one
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return f.places(v.Elem(), path)
	case reflect.Slice:
		rest, within := strings.CutPrefix(path, "[]")
		if !within {
			return v
		}
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			f.fill(v.Index(0), "", 0)
		}
		return f.places(v.Index(f.IntN(v.Len())), rest)
	}
	path = strings.TrimPrefix(path, ".")
	if path == "" {
		return v
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name := join("", field)
		if name == "" {
			if found := f.places(v.Field(i), path); found.IsValid() {
				return found
			}
			continue
		}
		if rest, ok := strings.CutPrefix(path, name); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return f.places(v.Field(i), rest)
		}
	}
	return reflect.Value{}
}

// alter changes a value.
func (f *filler) alter(v reflect.Value, path string) {
	name := path[strings.LastIndex(path, ".")+1:]
	name = strings.ToUpper(name[:1]) + strings.TrimSuffix(name[1:], "[]")
	if name == "DeletionTimestamp" && v.Kind() == reflect.Struct {
		f.fill(v, name, 0)
	}
	before := reflect.New(v.Type()).Elem()
	before.Set(v)
	for range 20 {
		v.SetZero()
		f.fill(v, name, 0)
		if !reflect.DeepEqual(before.Interface(), v.Interface()) {
			return
		}
	}
}

// changes reports whether another value at the path of some object changes the
// result.
func (s *subject) changes(path string, tries int) bool {
	f := &filler{Rand: rand.New(rand.NewPCG(1, uint64(len(path)))), sparse: true}
	for range tries {
		o := reflect.New(s.object)
		f.fill(o.Elem(), "", 0)
		makeValid(o.Interface())
		at := f.places(o.Elem(), path)
		makeValid(o.Interface())
		before := s.convert(clone(o).Interface())
		f.alter(at, path)
		if !reflect.DeepEqual(before, s.convert(o.Interface())) {
			return true
		}
	}
	return false
}

// clone copies an object deeply.
func clone(o reflect.Value) reflect.Value {
	return o.MethodByName("DeepCopy").Call(nil)[0]
}

// A field listed as read counts: there are objects that differ in that field
// alone and have different results.
func TestReadFieldsCount(t *testing.T) {
	known := accounts(t)
	for _, s := range subjects {
		for _, path := range slices.Sorted(maps.Keys(known[s.kind].read)) {
			if !s.changes(path, 3000) {
				t.Errorf("%s: %s is listed as read, but makes no difference", s.kind, path)
			}
		}
	}
}

// A field listed as ignored does not count.
func TestIgnoredFieldsDoNotCount(t *testing.T) {
	known := accounts(t)
	for _, s := range subjects {
		for _, path := range slices.Sorted(maps.Keys(known[s.kind].ignored)) {
			if s.changes(path, 30) {
				t.Errorf("%s: %s is listed as ignored, but makes a difference", s.kind, path)
			}
		}
	}
}

// Prints the fields found by trying, to begin a list with: OUTRANK_FIELDS=1 go test -run
// ListFields.
func TestListFields(t *testing.T) {
	if os.Getenv("OUTRANK_FIELDS") == "" {
		return
	}
	for _, s := range subjects {
		read, ignored := []string{}, []string{}
		leaves(s.object, "", nil, func(path string, _ reflect.Type) {
			if s.changes(path, 40) {
				read = append(read, path)
			} else {
				ignored = append(ignored, path)
			}
		})
		fmt.Printf("%s: read\n", s.kind)
		for _, path := range read {
			fmt.Println("  " + path)
		}
		fmt.Printf("%s: ignored, \n", s.kind)
		for _, path := range collapsed(read, ignored) {
			fmt.Println("  " + path)
		}
	}
}

// collapsed names a struct with nothing but ignored fields in place of each of them.
func collapsed(read, ignored []string) []string {
	var out []string
	for _, path := range ignored {
		at := path
		for {
			i := strings.LastIndexAny(at, ".[")
			if i < 0 || slices.ContainsFunc(read, func(r string) bool {
				return r == at[:i] || strings.HasPrefix(r, at[:i]+".") || strings.HasPrefix(r, at[:i]+"[")
			}) {
				break
			}
			at = at[:i]
		}
		if !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	return out
}
