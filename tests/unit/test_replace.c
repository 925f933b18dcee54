/* Outputs that are there whole or not at all, and what is opened as a file: no FIFO, no link of another. */
#include "config.h"
#include "unit.h"
#include "scratch.h"

#include "base/open.h"
#include "base/replace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* A folder of its own in the scratch folder. */
static void make_folder(void **state, const char *name, char path[SCRATCH_PATH])
{
    scratch_path(state, name, path);
    assert_int_equal(mkdir(path, 0777), 0);
}

static int files_in(const char *dir)
{
    int n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (const struct dirent *e = readdir(d); e; e = readdir(d))
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static void write_whole(const char *path, const char *text)
{
    rc_replace_t r = {0};
    rc_err_t err = {0};
    if (rc_replace_begin(path, &r, &err) < 0)
        fail_msg("%s", err.text);
    fputs(text, r.file);
    if (rc_replace_end(&r, 1, &err) < 0)
        fail_msg("%s", err.text);
}

static void is_text(const char *path, const char *expected)
{
    char found[64] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    (void)!fread(found, 1, sizeof found - 1, f);
    fclose(f);
    assert_string_equal(found, expected);
}

static void join(const char *dir, const char *name, char path[SCRATCH_PATH])
{
    assert_true(snprintf(path, SCRATCH_PATH, "%s/%s", dir, name) < SCRATCH_PATH);
}

static void what_is_not_kept_leaves_nothing(void **state)
{
    char dir[SCRATCH_PATH], path[SCRATCH_PATH];
    rc_replace_t r = {0};
    make_folder(state, "dropped", dir);
    join(dir, "out", path);
    write_whole(path, "before");
    assert_int_equal(rc_replace_begin(path, &r, NULL), RC_OK);
    fputs("half", r.file);
    assert_int_equal(rc_replace_end(&r, 0, NULL), RC_OK);
    is_text(path, "before");
    assert_int_equal(files_in(dir), 1);
}

/* A check says whether a file could be written, and leaves what is there as it was. */
static void a_check_leaves_nothing(void **state)
{
    char dir[SCRATCH_PATH], path[SCRATCH_PATH];
    rc_err_t err = {0};
    make_folder(state, "checked", dir);
    join(dir, "out", path);
    assert_int_equal(rc_replace_check(path, NULL), RC_OK);
    assert_int_equal(files_in(dir), 0);
    write_whole(path, "before");
    assert_int_equal(rc_replace_check(path, NULL), RC_OK);
    is_text(path, "before");
    assert_int_equal(files_in(dir), 1);
    join(dir, "none/out", path);
    assert_int_equal(rc_replace_check(path, &err), RC_EIO);
    assert_non_null(strstr(err.text, path));
}

/* Processes that die anywhere leave at most their files beside it; the next one takes them over. */
static void what_the_dead_left_is_taken_over(void **state)
{
    enum { deaths = 20 };
    char dir[SCRATCH_PATH], path[SCRATCH_PATH];
    make_folder(state, "left", dir);
    join(dir, "out", path);
    for (int i = 0; i < deaths; i++) {
        pid_t child = fork();
        if (child == 0) {
            rc_replace_t r = {0};
            (void)rc_replace_begin(path, &r, NULL);
            fputs("half", r.file);
            fflush(r.file);
            _exit(0);
        }
        assert_int_equal(waitpid(child, NULL, 0), child);
        assert_int_equal(files_in(dir), 1);
    }
    write_whole(path, "whole");
    is_text(path, "whole");
    assert_int_equal(files_in(dir), 1);
}

static void the_living_keep_theirs(void **state)
{
    char dir[SCRATCH_PATH], path[SCRATCH_PATH];
    rc_replace_t a = {0}, b = {0};
    make_folder(state, "alive", dir);
    join(dir, "out", path);
    assert_int_equal(rc_replace_begin(path, &a, NULL), RC_OK);
    assert_int_equal(rc_replace_begin(path, &b, NULL), RC_OK);
    assert_string_not_equal(a.fresh, b.fresh);
    fputs("a", a.file);
    fputs("b", b.file);
    assert_int_equal(rc_replace_end(&b, 1, NULL), RC_OK);
    is_text(path, "b");
    assert_int_equal(rc_replace_end(&a, 1, NULL), RC_OK);
    is_text(path, "a");
    assert_int_equal(files_in(dir), 1);
}

/* Several write one output again and again, and are killed: it is always one of their texts. */
static void many_at_once(void **state)
{
    enum { writers = 6, rounds = 40 };
    char dir[SCRATCH_PATH], path[SCRATCH_PATH];
    pid_t pid[writers];
    make_folder(state, "many", dir);
    join(dir, "out", path);
    write_whole(path, "0123456789\n");
    for (int w = 0; w < writers; w++) {
        pid[w] = fork();
        assert_true(pid[w] >= 0);
        if (pid[w] == 0)
            (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (int i = 0; pid[w] == 0; i++) {
            rc_replace_t r = {0};
            if (rc_replace_begin(path, &r, NULL) < 0)
                _exit(1);
            fprintf(r.file, "01234");
            fflush(r.file);
            if (w == 0 && i == rounds / 2)
                raise(SIGKILL);
            fprintf(r.file, "56789\n");
            if (rc_replace_end(&r, 1, NULL) < 0)
                _exit(2);
            if (i == rounds)
                _exit(0);
        }
    }
    for (int w = 0; w < writers; w++) {
        int status;
        assert_int_equal(waitpid(pid[w], &status, 0), pid[w]);
        assert_true(w == 0 ? WIFSIGNALED(status) : WIFEXITED(status) && WEXITSTATUS(status) == 0);
        is_text(path, "0123456789\n");
    }
    /* the file of the killed one has one of so many names; who takes all of them removes it */
    rc_replace_t last[writers + 1] = {{0}};
    for (int w = 0; w <= writers; w++)
        assert_int_equal(rc_replace_begin(path, &last[w], NULL), RC_OK);
    for (int w = 0; w <= writers; w++)
        assert_int_equal(rc_replace_end(&last[w], 1, NULL), RC_OK);
    assert_int_equal(files_in(dir), 1);
}

static void links_of_others_are_not_followed(void **state)
{
    char dir[SCRATCH_PATH], path[SCRATCH_PATH], precious[SCRATCH_PATH], second[SCRATCH_PATH];
    rc_replace_t r = {0};
    rc_err_t err = {0};
    struct stat s;
    make_folder(state, "links", dir);
    join(dir, "out", path);
    join(dir, "second", second);
    join(dir, "precious", precious);
    scratch_write(precious, "dear", 4);
    assert_int_equal(chmod(precious, 0640), 0);
    assert_int_equal(symlink("precious", second), 0);
    assert_int_equal(symlink("second", path), 0);
    write_whole(path, "mine"); /* one's own links, one after the other */
    is_text(precious, "mine");
    assert_true(lstat(path, &s) == 0 && S_ISLNK(s.st_mode) && lstat(second, &s) == 0 && S_ISLNK(s.st_mode));
    assert_true(stat(precious, &s) == 0 && (s.st_mode & 0777) == 0640);
    if (geteuid() == 0) {
        assert_int_equal(lchown(second, 12345, 12345), 0);
        assert_int_equal(rc_replace_begin(path, &r, &err), RC_EIO);
        assert_non_null(strstr(err.text, "is a link of another user"));
        is_text(precious, "mine");
    }
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("nothing", path), 0);
    write_whole(path, "anew"); /* what leads to nothing is replaced */
    assert_true(lstat(path, &s) == 0 && S_ISREG(s.st_mode));
    assert_int_equal(files_in(dir), 3);
}

/* A planted link under the name beside it is removed, and what it leads to stays. */
static void the_name_beside_may_be_planted(void **state)
{
    char dir[SCRATCH_PATH], path[SCRATCH_PATH], precious[SCRATCH_PATH];
    rc_replace_t r = {0};
    make_folder(state, "planted", dir);
    join(dir, "out", path);
    join(dir, "precious", precious);
    scratch_write(precious, "dear", 4);
    assert_int_equal(rc_replace_begin(path, &r, NULL), RC_OK);
    char *beside = strdup(r.fresh);
    assert_non_null(beside);
    assert_int_equal(rc_replace_end(&r, 0, NULL), RC_OK);
    assert_int_equal(symlink("precious", beside), 0);
    write_whole(path, "one");
    assert_int_equal(mkfifo(beside, 0666), 0);
    write_whole(path, "two");
    is_text(path, "two");
    is_text(precious, "dear");
    assert_int_equal(files_in(dir), 2);
    free(beside);
}

/* One of each kind, opened for reading and for writing; who waits is ended by the alarm. */
static void what_is_no_file_is_refused(void **state)
{
    static const char *const kinds[] = {"FIFO", "socket", "folder", "device"};
    char dir[SCRATCH_PATH], path[SCRATCH_PATH];
    make_folder(state, "kinds", dir);
    alarm(20);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct sockaddr_un at = {.sun_family = AF_UNIX};
        rc_err_t err = {0};
        rc_replace_t r = {0};
        FILE *f;
        join(i == 3 ? "/dev" : dir, i == 3 ? "zero" : kinds[i], path);
        if (i == 0)
            assert_int_equal(mkfifo(path, 0666), 0);
        if (i == 2)
            assert_int_equal(mkdir(path, 0777), 0);
        int s = i == 1 ? socket(AF_UNIX, SOCK_STREAM, 0) : -1;
        assert_true(strlen(path) < sizeof at.sun_path);
        strcpy(at.sun_path, path);
        if (s >= 0)
            assert_int_equal(bind(s, (struct sockaddr *)&at, sizeof at), 0);
        assert_int_equal(rc_open_given(path, &f, &err), RC_EIO);
        assert_non_null(strstr(err.text, kinds[i]));
        if (i < 3) { /* a device of characters is written to */
            assert_int_equal(rc_replace_begin(path, &r, &err), RC_EIO);
            assert_non_null(strstr(err.text, kinds[i]));
        }
        if (s >= 0)
            close(s);
    }
    alarm(0);
}

static void a_pipe_without_a_name_is_read_and_written(void **state)
{
    (void)state;
    int ends[2];
    char in[64], out[64], line[16] = "";
    rc_replace_t r = {0};
    rc_err_t err = {0};
    FILE *f;
    assert_int_equal(pipe(ends), 0);
    snprintf(in, sizeof in, "/proc/self/fd/%d", ends[0]);
    snprintf(out, sizeof out, "/dev/fd/%d", ends[1]);
    if (rc_replace_begin(out, &r, &err) < 0)
        fail_msg("%s", err.text);
    fputs("text\n", r.file);
    assert_int_equal(rc_replace_end(&r, 1, &err), RC_OK);
    if (rc_open_given(in, &f, &err) < 0)
        fail_msg("%s", err.text);
    assert_non_null(fgets(line, sizeof line, f));
    assert_string_equal(line, "text\n");
    fclose(f);
    close(ends[0]);
    close(ends[1]);
}

static void what_cannot_be_written_is_said(void **state)
{
    rc_replace_t r = {0};
    rc_err_t err = {0};
    (void)state;
    assert_int_equal(rc_replace_begin("/dev/full", &r, &err), RC_OK);
    fputs("text", r.file);
    assert_int_equal(rc_replace_end(&r, 1, &err), RC_EIO);
    assert_non_null(strstr(err.text, "/dev/full"));
    assert_int_equal(rc_replace_end(&r, 1, &err), RC_OK); /* it was ended */
    assert_int_equal(rc_replace_begin("/no/such/folder/out", &r, &err), RC_EIO);
    assert_non_null(strstr(err.text, "/no/such/folder/out"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_kept_leaves_nothing),
        cmocka_unit_test(a_check_leaves_nothing),
        cmocka_unit_test(what_the_dead_left_is_taken_over),
        cmocka_unit_test(the_living_keep_theirs),
        cmocka_unit_test(many_at_once),
        cmocka_unit_test(links_of_others_are_not_followed),
        cmocka_unit_test(the_name_beside_may_be_planted),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(a_pipe_without_a_name_is_read_and_written),
        cmocka_unit_test(what_cannot_be_written_is_said),
    };
    return cmocka_run_group_tests_name("replace", tests, scratch_setup, scratch_teardown);
}
