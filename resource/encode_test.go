package resource_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/resource"
)

func TestUnmarshalJSON(t *testing.T) {
	for _, tt := range []struct{ data, want, why string }{
		{`"500m"`, "500m", ""},
		{`"1\u0047i"`, "1Gi", "escapes are undone"},
		{`2`, "2", ""},
		{`-0.5`, "-500m", ""},
		{`1.10`, "1100m", "a number's text counts, not its float"},
		{`0.1234567891`, "123456790n", ""},
		{`9007199254740993`, "9007199254740993", "no float64 in between"},
		{`1e3`, "1e3", ""},
		{`1E400`, "10e399", "beyond float64"},
		{` 7 `, "7", ""},
		{`" 1"`, "1", "blanks within the string"},
		{`"1Gi\t\n"`, "1Gi", "blanks within the string"},
		{`null`, "42", "null leaves it as it is"},
	} {
		q := resource.New(42)
		if err := json.Unmarshal([]byte(tt.data), &q); err != nil || q.String() != tt.want {
			t.Errorf("Unmarshal(%s) = %v, %v; want %s (%s)", tt.data, q, err, tt.want, tt.why)
		}
	}
}

func TestUnmarshalJSONRefuses(t *testing.T) {
	for _, data := range []string{`""`, `" "`, `"1 Gi"`, `true`, `{}`, `[1]`, `""1"`, `"`, `"\q"`, `"1`, `"12`, `1x`, `+1`, ``, `1 2`} {
		q := resource.New(42)
		err := q.UnmarshalJSON([]byte(data))
		if !errors.Is(err, resource.ErrSyntax) || q.Value() != 42 {
			t.Errorf("UnmarshalJSON(%s) = %v, %v; want ErrSyntax and 42 as before", data, q, err)
		}
	}
}

func TestUnmarshalTextRefuses(t *testing.T) {
	q := resource.New(42)
	if err := q.UnmarshalText([]byte("1K")); !errors.Is(err, resource.ErrSyntax) || q.Value() != 42 {
		t.Errorf("UnmarshalText(1K) = %v, %v; want ErrSyntax and 42 as before", q, err)
	}
}

func TestListAsJSON(t *testing.T) {
	var l resource.List
	if err := json.Unmarshal([]byte(`{"cpu": 1.5, "memory": "1024Mi", "pods": "110"}`), &l); err != nil {
		t.Fatal(err)
	}
	if diff := testdiff.Diff(resource.MustList("cpu", "1500m", "memory", "1Gi", "pods", "110"), l); diff != "" {
		t.Error(diff)
	}
	data, err := json.Marshal(l)
	if want := `{"cpu":"1500m","memory":"1Gi","pods":"110"}`; err != nil || string(data) != want {
		t.Errorf("Marshal = %s, %v; want %s", data, err, want)
	}
}

func TestFormatAsText(t *testing.T) {
	for _, f := range []resource.Format{resource.DecimalSI, resource.DecimalExponent, resource.BinarySI} {
		data, err := json.Marshal(map[string]resource.Format{"f": f})
		if want := `{"f":"` + f.String() + `"}`; err != nil || string(data) != want {
			t.Errorf("Marshal(%v) = %s, %v; want %s", f, data, err, want)
		}
		var got map[string]resource.Format
		if err := json.Unmarshal(data, &got); err != nil || got["f"] != f {
			t.Errorf("Unmarshal(%s) = %v, %v; want %v", data, got["f"], err, f)
		}
	}
	if data, err := resource.Format(3).MarshalText(); err == nil {
		t.Errorf("Format(3).MarshalText() = %s, want an error", data)
	}
	f := resource.BinarySI
	if err := f.UnmarshalText([]byte("Format(3)")); err == nil || f != resource.BinarySI {
		t.Errorf("UnmarshalText(Format(3)) = %v, %v; want an error and BinarySI as before", f, err)
	}
}

func TestRequirementsAsJSON(t *testing.T) {
	want := resource.Requirements{Requests: resource.MustList("cpu", "1"), Limits: resource.MustList("memory", "1Gi")}
	data, err := json.Marshal(want)
	if text := `{"requests":{"cpu":"1"},"limits":{"memory":"1Gi"}}`; err != nil || string(data) != text {
		t.Errorf("Marshal = %s, %v; want %s", data, err, text)
	}
	var got resource.Requirements
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if diff := testdiff.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
