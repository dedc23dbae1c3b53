package scenario

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Golden compares a text with the content of a file. With the flag -update, it writes the text to the file
// first.
func Golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s, after a change that is meant run go test -update (-want +got):\n%s", file, diff)
	}
}
