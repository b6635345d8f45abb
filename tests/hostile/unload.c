/* unload PLUGIN OUT: a thread calls the plugin and exits after dlclose() has released it. */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static void (*work)(void);
static sem_t called, closed;

static void *thread(void *arg)
{
    work();
    sem_post(&called);
    sem_wait(&closed);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t id;
    void *plugin;

    if (argc != 3 || setenv("TACHO_TRACE_OUT", argv[2], 1) != 0)
        return 64;
    plugin = dlopen(argv[1], RTLD_NOW);
    if (!plugin) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    *(void **)&work = dlsym(plugin, "plugin_work");
    sem_init(&called, 0, 0);
    sem_init(&closed, 0, 0);
    if (pthread_create(&id, NULL, thread, NULL) != 0)
        return 2;
    sem_wait(&called);
    dlclose(plugin);
    sem_post(&closed);
    pthread_join(id, NULL);
    return 0;
}
