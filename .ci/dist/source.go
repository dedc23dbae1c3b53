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

// source is the state of the repository that is built.
type source struct {
	root string
	// version begins with v. It ends with +dirty if files are not committed.
	version string
	// revision is the hash of the commit.
	revision string
	// dirty says that files are not committed.
	dirty bool
	// time is the time of the commit.
	time time.Time
}

func (s *source) path(folder string) string { return filepath.Join(s.root, filepath.FromSlash(folder)) }

// semantic matches a version of a module.
var semantic = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

// sourceOf reads the version, the commit and its time from the repository. If the version is empty, it is the tag
// of the commit, or else the version that the go command gives a commit after the last tag.
func sourceOf(ctx context.Context, root, version string) (*source, error) {
	s := &source{root: root, version: version}
	if err := s.readCommit(ctx); err != nil {
		return nil, err
	}

	if version == "" {
		var err error
		if s.version, err = s.git(ctx, "describe", "--tags", "--exact-match", "--match", "v[0-9]*"); err != nil {
			last, _ := s.git(ctx, "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*") // none before the first release
			s.version = after(last, s)
		}
	}
	if !semantic.MatchString(s.version) {
		return nil, fmt.Errorf("version %q is not like v0.9.0", s.version)
	}

	// A version that is given is a release: it must be in the table, and made of a commit.
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

// git runs git in the repository and returns what it prints.
func (s *source) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", s.root}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
	text, err := cmd.Output()
	return strings.TrimSpace(string(text)), err
}

// readCommit reads the hash and the time of the commit, and whether files are not committed.
func (s *source) readCommit(ctx context.Context) error {
	at, err := s.git(ctx, "log", "-1", "--format=%H %ct")
	if err != nil {
		return fmt.Errorf("%s is no git repository with a commit, from which version and time of the release come (%w)", s.root, err)
	}
	seconds := ""
	s.revision, seconds, _ = strings.Cut(at, " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("the time of the commit: %w", err)
	}
	s.time = time.Unix(unix, 0).UTC()

	changed, err := s.git(ctx, "status", "--porcelain")
	if err != nil {
		return fmt.Errorf("git status: %w", err)
	}
	s.dirty = changed != ""
	return nil
}

// behindPlus returns the suffix that names this version behind the version of Kubernetes.
func (s *source) behindPlus() string {
	return "+outrank." + strings.ReplaceAll(strings.TrimPrefix(s.version, "v"), "+", ".")
}

// versions is the document with a row for each version.
const versions = ".github/RELEASES.md"

// inTable returns an error if the document has no row for the version, so that none is published without.
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

// after returns the version that the go command gives the commit. Last is the tag before it; empty if there is
// none.
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
