package resource_test

import (
	"testing"

	"github.com/outrank-go/outrank/resource"
)

func BenchmarkParse(b *testing.B) {
	for _, text := range []string{"500m", "1Gi", "1.5", "1.5Gi", "128974848", "1000000000", "9223372036854775807"} {
		b.Run("text="+text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = resource.Parse(text)
			}
		})
	}
}

func BenchmarkString(b *testing.B) {
	for _, text := range []string{"500m", "1Gi", "128974848"} {
		q := resource.MustParse(text)
		b.Run("text="+text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = q.String()
			}
		})
	}
}

func BenchmarkArithmetic(b *testing.B) {
	x, y := resource.MustParse("1.5Gi"), resource.MustParse("300m")
	ops := map[string]func(){
		"Add":        func() { _ = x.Add(y) },
		"Cmp":        func() { _ = x.Cmp(y) },
		"Value":      func() { _ = x.Value() },
		"MilliValue": func() { _ = y.MilliValue() },
	}
	for _, name := range []string{"Add", "Cmp", "Value", "MilliValue"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ops[name]()
			}
		})
	}
}
