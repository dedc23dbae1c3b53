package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// source is what is built.
type source struct {
	root string
	// version begins with v; behind a plus sign it says dirty where files are not committed.
	version, revision string
	dirty             bool
	// time is that of the commit.
	time time.Time
}

func (s *source) path(folder string) string { return filepath.Join(s.root, filepath.FromSlash(folder)) }

// semantic is a version of a module.
var semantic = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

// sourceOf reads what the repository says of itself. An empty version is worked out: the tag of the
// commit, else what the go command calls a commit after the last tag.
func sourceOf(ctx context.Context, root, version string) (*source, error) {
	git := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", root}, args...)...)
		cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
		text, err := cmd.Output()
		return strings.TrimSpace(string(text)), err
	}
	at, err := git("log", "-1", "--format=%H %ct")
	if err != nil {
		return nil, fmt.Errorf("%s is no git repository with a commit, from which version and time of the release come (%w)", root, err)
	}
	s := &source{root: root, version: version}
	seconds := ""
	s.revision, seconds, _ = strings.Cut(at, " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the time of the commit: %w", err)
	}
	s.time = time.Unix(unix, 0).UTC()
	changed, err := git("status", "--porcelain")
	if err != nil {
		return nil, fmt.Errorf("git status: %w", err)
	}
	s.dirty = changed != ""
	if version == "" {
		if s.version, err = git("describe", "--tags", "--exact-match", "--match", "v[0-9]*"); err != nil {
			last, _ := git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*") // none before the first release
			s.version = after(last, s)
		}
	}
	if !semantic.MatchString(s.version) {
		return nil, fmt.Errorf("version %q is not like v0.9.0", s.version)
	}
	if version != "" {
		if err := inTable(root, version); err != nil {
			return nil, err
		}
	}
	if s.dirty {
		if version != "" {
			return nil, errors.New("files are changed or not committed, and a release is made of a commit; without -version it is built all the same")
		}
		s.version += "+dirty"
	}
	return s, nil
}

// behindPlus is the version as it stands behind that of Kubernetes.
func (s *source) behindPlus() string {
	return "+outrank." + strings.ReplaceAll(strings.TrimPrefix(s.version, "v"), "+", ".")
}

// versions is the document with a row for each version.
const versions = ".github/RELEASES.md"

// inTable wants a row for a version that is given, so that none is published without.
func inTable(root, version string) error {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(versions)))
	if err != nil {
		return err
	}
	if !strings.Contains(string(text), "\n| "+version+" |") {
		return fmt.Errorf("%s has no row for %s among the versions that go together", versions, version)
	}
	return nil
}

// after is what the go command calls the commit where last is the tag before it, empty for none.
func after(last string, s *source) string {
	stamp := s.time.Format("20060102150405") + "-" + s.revision[:12]
	m := semantic.FindStringSubmatch(last)
	if m == nil {
		return "v0.0.0-" + stamp
	}
	if m[4] != "" { // a pre-release
		return last + ".0." + stamp
	}
	patch, _ := strconv.Atoi(m[3])
	return fmt.Sprintf("v%s.%s.%d-0.%s", m[1], m[2], patch+1, stamp)
}
